//! Keywords that are decided by looking at one value: whether they hold, and what to say when not.

use super::check::Run;
use super::decimal;
use super::issue::{listed, shown};
use super::node::{Choices, Keyword, Limit, Measure, Required, Type, Types};
use super::suggest;
use super::text;
use super::values::{Id, Item};
use crate::json::Number;
use crate::text::length;

/// Whether an assertion holds; `None` for keywords that evaluate subschemas.
pub(super) fn holds(run: &Run, keyword: &Keyword, value: Id) -> Option<bool> {
    let item = run.values.get(value);
    let text = item.text.as_str();
    let there = |name: &String| run.values.member(value, name).is_some();
    let of = item.of.number();
    // An assertion is about one type of value and holds for all others.
    Some(match keyword {
        Keyword::Never(_) => false,
        Keyword::Type(types) => types.list.iter().any(|&wanted| is_of_type(item, wanted)),
        Keyword::Choices(choices) => choices.keys.get(&text::key(&run.values, value)).is_some(),
        Keyword::Limit(limit, bound) => is_within(limit, bound, item),
        Keyword::Pattern(pattern) => of != Type::String || run.patterns.is_match(pattern, text) == Some(true),
        Keyword::Format(format) => of != Type::String || format.accepts(text, run.patterns),
        Keyword::MultipleOf(divisor) => of != Type::Number || decimal::is_multiple(text, divisor) == Some(true),
        Keyword::UniqueItems => of != Type::Array || !text::has_duplicates(&run.values, &item.parts),
        Keyword::Required(Required { names, beside }) => {
            let asked = of == Type::Object && beside.as_ref().is_none_or(there);
            !asked || names.iter().all(there)
        }
        _ => return None,
    })
}

fn is_within(limit: &Limit, bound: &Number, item: &Item) -> bool {
    let count = match (limit.of, item.of.number()) {
        (Measure::Value, Type::Number) => None,
        (Measure::Length, Type::String) => Some(length(&item.text)),
        (Measure::Members, Type::Object) | (Measure::Items, Type::Array) => Some(item.parts.len()),
        _ => return true,
    };
    let count = count.map(|count| crate::text::decimal(count as u64));
    limit.allows(decimal::compare(count.as_ref().unwrap_or(&item.text), bound))
}

/// Whether a value is of a type. A number is finite: JavaScript reads 1e999 as infinite, which is none.
pub(super) fn is_of_type(item: &Item, wanted: Type) -> bool {
    let fits = item.of == wanted || (item.of == Type::Integer && wanted == Type::Number);
    fits && (item.of.number() != Type::Number || decimal::is_finite(&item.text))
}

/// What is wrong with a value for which an assertion does not hold.
pub(super) fn message(run: &Run, keyword: &Keyword, value: Id) -> String {
    let got = || shown(&run.values, value);
    match keyword {
        Keyword::Never(reason) => reason.clone(),
        Keyword::Type(types) => type_message(run, types, value),
        Keyword::Choices(choices) => choice_message(run, choices, value),
        Keyword::Limit(limit, bound) => {
            let [before, after] = limit.words;
            let mut message = [before, bound.as_str(), after].concat();
            if limit.of == Measure::Value {
                message.push_str(", got ");
                message.push_str(&got());
            }
            message
        }
        Keyword::Pattern(pattern) => pattern_message(run, pattern),
        Keyword::Format(format) => ["must be ", format.words].concat(),
        Keyword::MultipleOf(divisor) => ["must be a multiple of ", divisor.as_str(), ", got ", &got()].concat(),
        _ => "must not hold the same item twice".to_owned(),
    }
}

fn type_message(run: &Run, types: &Types, value: Id) -> String {
    let mut message = "must be ".to_owned();
    for (count, wanted) in types.list.iter().enumerate() {
        if count > 0 {
            message.push_str(" or ");
        }
        message.push_str(wanted.words());
    }
    if types.list.is_empty() {
        message.push_str("of a type that JSON Schema does not have: ");
        message.push_str(&types.unknown);
    }
    message.push_str(", got ");
    message.push_str(run.values.get(value).of.words());
    message
}

fn choice_message(run: &Run, choices: &Choices, value: Id) -> String {
    let words = if choices.constant { "must be " } else { "must be one of " };
    let mut message =
        [words, &listed(&run.schema.constants, &choices.values), ", got ", &shown(&run.values, value)].concat();
    let mut known = choices.values.iter().map(|&choice| &run.schema.constants.get(choice).text);
    suggest::add(&mut message, &run.values.get(value).text, &mut known);
    message
}

/// A pattern the host cannot run is the schema's fault, not the value's.
pub(super) fn pattern_message(run: &Run, pattern: &str) -> String {
    let words = match run.patterns.is_match(pattern, "") {
        Some(_) => "must match the pattern ",
        None => "the tool's schema has a pattern that cannot be used: ",
    };
    [words, pattern].concat()
}
