//! Keywords that are decided by looking at one value: whether they hold, and what to say when not.

use super::check::Run;
use super::decimal;
use super::issue::{listed, shown};
use super::node::{Choices, Keyword, Type, Types};
use super::values::{Id, Item};
use super::{equal, suggest};
use crate::json::Number;
use std::cmp::Ordering;

/// Whether an assertion holds; `None` for keywords that evaluate subschemas.
pub(super) fn holds(run: &Run, keyword: &Keyword, value: Id) -> Option<bool> {
    let values = &run.values;
    let item = values.get(value);
    let length = |wanted: fn(u64, u64) -> bool, bound: &u64| match item {
        Item::String(text) => wanted(text.chars().count() as u64, *bound),
        _ => true,
    };
    let compare = |wanted: fn(Ordering) -> bool, bound: &Number| match item {
        Item::Number(text) => wanted(decimal::compare(text, bound)),
        _ => true,
    };
    let count = |array: bool| match item {
        Item::Array(parts) if array => Some(parts.len() as u64),
        Item::Object(_, parts) if !array => Some(parts.len() as u64),
        _ => None,
    };
    Some(match keyword {
        Keyword::Never(_) => false,
        Keyword::Type(types) => types.list.iter().any(|&wanted| is_of_type(item, wanted)),
        Keyword::Enum(choices) | Keyword::Const(choices) => {
            choices.keys.binary_search(&equal::key(values, value)).is_ok()
        }
        Keyword::MinLength(bound) => length(|length, bound| length >= bound, bound),
        Keyword::MaxLength(bound) => length(|length, bound| length <= bound, bound),
        Keyword::Pattern(pattern) => match item {
            Item::String(text) => run.patterns.is_match(pattern, text) == Some(true),
            _ => true,
        },
        Keyword::Format(format) => match item {
            Item::String(text) => format.accepts(text, run.patterns),
            _ => true,
        },
        Keyword::Minimum(bound) => compare(Ordering::is_ge, bound),
        Keyword::Maximum(bound) => compare(Ordering::is_le, bound),
        Keyword::ExclusiveMinimum(bound) => compare(Ordering::is_gt, bound),
        Keyword::ExclusiveMaximum(bound) => compare(Ordering::is_lt, bound),
        Keyword::MultipleOf(divisor) => match item {
            Item::Number(text) => decimal::is_multiple(text, divisor) == Some(true),
            _ => true,
        },
        Keyword::MinProperties(bound) => count(false).is_none_or(|count| count >= *bound),
        Keyword::MaxProperties(bound) => count(false).is_none_or(|count| count <= *bound),
        Keyword::MinItems(bound) => count(true).is_none_or(|count| count >= *bound),
        Keyword::MaxItems(bound) => count(true).is_none_or(|count| count <= *bound),
        Keyword::UniqueItems => match item {
            Item::Array(parts) => !equal::has_duplicates(values, parts),
            _ => true,
        },
        Keyword::Required(names) => match item {
            Item::Object(members, _) => names.iter().all(|name| members.find(name).is_some()),
            _ => true,
        },
        Keyword::DependentRequired(list) => match item {
            Item::Object(members, _) => {
                let there = |name: &str| members.find(name).is_some();
                list.iter().all(|(name, others)| !there(name) || others.iter().all(|other| there(other)))
            }
            _ => true,
        },
        _ => return None,
    })
}

/// Whether a value is of a type. A number is finite: JavaScript reads 1e999 as infinite, which is none.
pub(super) fn is_of_type(item: &Item, wanted: Type) -> bool {
    match item {
        Item::Null => wanted == Type::Null,
        Item::Bool(_) => wanted == Type::Boolean,
        Item::Number(text) => match wanted {
            Type::Number => decimal::is_finite(text),
            Type::Integer => decimal::is_integer(text) && decimal::is_finite(text),
            _ => false,
        },
        Item::String(_) => wanted == Type::String,
        Item::Array(_) => wanted == Type::Array,
        Item::Object(..) => wanted == Type::Object,
    }
}

/// What is wrong with a value for which an assertion does not hold.
pub(super) fn message(run: &Run, keyword: &Keyword, value: Id) -> String {
    let at = |words: &str, bound: u64, noun: &str| [words, &bound.to_string(), noun].concat();
    let number = |words: &str, bound: &Number| [words, bound.as_str(), ", got ", &shown(&run.values, value)].concat();
    match keyword {
        Keyword::Never(reason) if reason.is_empty() => "no value is allowed here".to_owned(),
        Keyword::Never(reason) => reason.to_string(),
        Keyword::Type(types) => type_message(run, types, value),
        Keyword::Enum(choices) => choice_message(run, choices, value),
        Keyword::Const(choices) => ["must be ", &listed(&choices.values)].concat(),
        Keyword::MinLength(bound) => at("must have at least ", *bound, " characters"),
        Keyword::MaxLength(bound) => at("must have at most ", *bound, " characters"),
        Keyword::Pattern(pattern) => pattern_message(run, pattern),
        Keyword::Format(format) => ["must be ", format.words()].concat(),
        Keyword::Minimum(bound) => number("must be at least ", bound),
        Keyword::Maximum(bound) => number("must be at most ", bound),
        Keyword::ExclusiveMinimum(bound) => number("must be greater than ", bound),
        Keyword::ExclusiveMaximum(bound) => number("must be less than ", bound),
        Keyword::MultipleOf(divisor) => match decimal::is_multiple("0", divisor) {
            Some(_) => number("must be a multiple of ", divisor),
            None => {
                ["the tool's schema asks for a multiple of ", divisor.as_str(), ", which cannot be checked"].concat()
            }
        },
        Keyword::MinProperties(bound) => at("must have at least ", *bound, " properties"),
        Keyword::MaxProperties(bound) => at("must have at most ", *bound, " properties"),
        Keyword::MinItems(bound) => at("must have at least ", *bound, " items"),
        Keyword::MaxItems(bound) => at("must have at most ", *bound, " items"),
        Keyword::UniqueItems => "must not hold the same item twice".to_owned(),
        _ => "is not valid".to_owned(),
    }
}

/// The failure of `contains`.
pub(super) fn contains_message(min: u64, max: Option<u64>) -> String {
    let mut message = "must hold at least ".to_owned();
    message.push_str(&min.to_string());
    if let Some(max) = max {
        message.push_str(" and at most ");
        message.push_str(&max.to_string());
    }
    message.push_str(" of the items that the tool's schema asks for");
    message
}

fn type_message(run: &Run, types: &Types, value: Id) -> String {
    let mut words: Vec<&str> = types.list.iter().map(|wanted| wanted.words()).collect();
    let unknown;
    if let (true, Some(name)) = (words.is_empty(), &types.unknown) {
        unknown = ["of the type ", name, ", which JSON Schema does not have"].concat();
        words.push(&unknown);
    }
    let got = match run.values.get(value) {
        Item::Number(text) if !decimal::is_finite(text) => "a number beyond the range of numbers",
        _ => run.values.type_of(value).words(),
    };
    ["must be ", &words.join(" or "), ", got ", got].concat()
}

fn choice_message(run: &Run, choices: &Choices, value: Id) -> String {
    let mut message = ["must be one of ", &listed(&choices.values), ", got ", &shown(&run.values, value)].concat();
    if let Item::String(text) = run.values.get(value) {
        let known = choices.values.iter().filter_map(|choice| choice.as_str());
        if let Some(near) = suggest::nearest(text, known) {
            message.push_str("; did you mean \"");
            message.push_str(near);
            message.push_str("\"?");
        }
    }
    message
}

/// A pattern the host cannot run is the schema's fault, not the value's.
pub(super) fn pattern_message(run: &Run, pattern: &str) -> String {
    match run.patterns.is_match(pattern, "") {
        Some(_) => ["must match the pattern ", pattern].concat(),
        None => ["the tool's schema has a pattern that cannot be used: ", pattern].concat(),
    }
}
