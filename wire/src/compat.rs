//! What a host can and wants: defaults by provider id and address, each of which the model's `compat` may override.

use crate::anthropic_messages;
use crate::doc::At;
use crate::model::Model;
use crate::openai_responses;
use crate::text::has;

/// How thinking is asked for (PROVIDERS 5.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ThinkingFormat {
    OpenAi,
    OpenRouter,
    DeepSeek,
    Zai,
    Together,
    Qwen,
    QwenChatTemplate,
    ChatTemplate,
    Baseten,
    StringThinking,
    AntLing,
}

/// Session headers, where the model asks for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Affinity {
    /// As OpenAI's own clients, with the session's name.
    Full,
    /// The same without it.
    Anonymous,
    /// OpenRouter's one header.
    Router,
}

/// What a host can or wants, or not.
#[derive(Clone, Copy)]
pub(crate) enum Flag {
    Store,
    DeveloperRole,
    ReasoningEffort,
    UsageInStreaming,
    FinishReason,
    ToolResultName,
    AssistantAfterToolResult,
    NonNullAssistantContent,
    ToolsWithToolHistory,
    ThinkingAsText,
    ReasoningContent,
    ZaiToolStream,
    StrictMode,
    GrammarTools,
    MidConvoSystemMessages,
    SessionAffinity,
    /// The cache is told how long to keep something, not which kind of keeping is meant.
    ExplicitCache,
    MaxOutputTokens,
    LongRetention,
    ThinkingTokenBudget,
    EagerToolInput,
    CacheControlOnTools,
    Temperature,
    /// The model decides itself how much it thinks; it is told how hard to try.
    AdaptiveThinking,
    /// Thinking without a signature may go back.
    EmptySignature,
    StrictTools,
}

/// Names of the flags in the order of [`Flag`], as pi has them in `OpenAICompletionsCompat` and
/// `AnthropicMessagesCompat`.
const FLAGS: [&str; 26] = [
    "supportsStore",
    "supportsDeveloperRole",
    "supportsReasoningEffort",
    "supportsUsageInStreaming",
    "supportsFinishReason",
    "requiresToolResultName",
    "requiresAssistantAfterToolResult",
    "requiresNonNullAssistantContent",
    "requiresToolsWithToolHistory",
    "requiresThinkingAsText",
    "requiresReasoningContentOnAssistantMessages",
    "zaiToolStream",
    "supportsStrictMode",
    "supportsOpenAIGrammarTools",
    "supportsMidConvoSystemMessages",
    "sendSessionAffinityHeaders",
    "supportsExplicitPromptCacheMode",
    "supportsMaxOutputTokens",
    "supportsLongCacheRetention",
    "supportsThinkingTokenBudget",
    "supportsEagerToolInputStreaming",
    "supportsCacheControlOnTools",
    "supportsTemperature",
    "forceAdaptiveThinking",
    "allowEmptySignature",
    "supportsStrictTools",
];

const ZAI: u16 = 1;
const TOGETHER: u16 = 1 << 1;
const MOONSHOT: u16 = 1 << 2;
const OPEN_ROUTER: u16 = 1 << 3;
const WORKERS_AI: u16 = 1 << 4;
const CLOUDFLARE_GATEWAY: u16 = 1 << 5;
const NVIDIA: u16 = 1 << 6;
const ANT_LING: u16 = 1 << 7;
const DEEPSEEK: u16 = 1 << 8;
const XAI: u16 = 1 << 9;
const CHUTES: u16 = 1 << 10;
const OPEN_CODE: u16 = 1 << 11;
const CEREBRAS: u16 = 1 << 12;
const OPENAI: u16 = 1 << 13;

/// How hosts are known: by the id of a provider, or, with a dot in it, by a part of an address.
const HOSTS: [(&str, u16); 29] = [
    ("zai", ZAI),
    ("zai-coding-cn", ZAI),
    ("api.z.ai", ZAI),
    ("open.bigmodel.cn", ZAI),
    ("together", TOGETHER),
    ("api.together.ai", TOGETHER),
    ("api.together.xyz", TOGETHER),
    ("moonshotai", MOONSHOT),
    ("moonshotai-cn", MOONSHOT),
    ("api.moonshot.", MOONSHOT),
    ("openrouter", OPEN_ROUTER),
    ("openrouter.ai", OPEN_ROUTER),
    ("cloudflare-workers-ai", WORKERS_AI),
    ("api.cloudflare.com", WORKERS_AI),
    ("cloudflare-ai-gateway", CLOUDFLARE_GATEWAY),
    ("gateway.ai.cloudflare.com", CLOUDFLARE_GATEWAY),
    ("nvidia", NVIDIA),
    ("integrate.api.nvidia.com", NVIDIA),
    ("ant-ling", ANT_LING),
    ("api.ant-ling.com", ANT_LING),
    ("deepseek", DEEPSEEK),
    ("deepseek.com", DEEPSEEK),
    ("xai", XAI),
    ("api.x.ai", XAI),
    ("chutes.ai", CHUTES),
    ("opencode", OPEN_CODE),
    ("opencode.ai", OPEN_CODE),
    ("cerebras", CEREBRAS),
    ("cerebras.ai", CEREBRAS),
];

/// What the host of a model can and wants.
pub(crate) struct Compat<'a> {
    flags: [bool; FLAGS.len()],
    /// `max_tokens` instead of `max_completion_tokens`.
    pub plain_max_tokens: bool,
    /// Markers of the Anthropic kind on prompt, tools and messages.
    pub cache_control: bool,
    pub thinking_format: ThinkingFormat,
    pub affinity: Affinity,
    /// What the model says about itself.
    pub at: At<'a>,
}

impl<'a> Compat<'a> {
    /// Defaults for the host, then what the model says about itself.
    pub fn of(model: &Model<'a>) -> Self {
        let at = model.compat;
        let mut compat = Self::detect(model);
        for (flag, name) in compat.flags.iter_mut().zip(FLAGS) {
            if let Some(value) = at.boolean(name) {
                *flag = value;
            }
        }
        let word = |name, word: &mut dyn FnMut(&str)| {
            let text = at.text(name);
            if !text.is_empty() {
                word(&text);
            }
        };
        word("maxTokensField", &mut |word| compat.plain_max_tokens = word == "max_tokens");
        word("cacheControlFormat", &mut |word| compat.cache_control = word == "anthropic");
        word("thinkingFormat", &mut |word| compat.thinking_format = ThinkingFormat::of(word));
        word("sessionAffinityFormat", &mut |word| {
            compat.affinity = match word {
                "openrouter" => Affinity::Router,
                "openai" => Affinity::Full,
                _ => Affinity::Anonymous,
            }
        });
        compat
    }

    /// Whether the host can or wants something.
    pub fn has(&self, flag: Flag) -> bool {
        self.flags.get(flag as usize).copied().unwrap_or_default()
    }

    fn detect(model: &Model<'a>) -> Self {
        let claude = model.api == anthropic_messages::API;
        // The Messages API is the same at any address.
        let url = if claude { String::new() } else { model.base_url.to_ascii_lowercase() };
        let mut hosts = 0;
        for (name, host) in HOSTS {
            if model.provider == name || has(name, ".") && has(&url, name) {
                hosts |= host;
            }
        }
        let is = |which: u16| hosts & which != 0;
        let plain_max_tokens =
            is(CHUTES | DEEPSEEK | MOONSHOT | CLOUDFLARE_GATEWAY | TOGETHER | NVIDIA | ANT_LING | ZAI);
        let mut compat = Self {
            flags: [false; FLAGS.len()],
            plain_max_tokens,
            cache_control: model.provider == "openrouter" && model.id.starts_with("anthropic/"),
            thinking_format: match () {
                () if is(DEEPSEEK) => ThinkingFormat::DeepSeek,
                () if is(ZAI) => ThinkingFormat::Zai,
                () if is(TOGETHER) => ThinkingFormat::Together,
                () if is(ANT_LING) => ThinkingFormat::AntLing,
                () if is(OPEN_ROUTER) => ThinkingFormat::OpenRouter,
                () => ThinkingFormat::OpenAi,
            },
            // pi sends a session header to OpenRouter by itself; from a page every extra header risks the preflight.
            affinity: if is(OPEN_ROUTER) { Affinity::Router } else { Affinity::Full },
            at: model.compat,
        };
        for (flag, value) in [
            (Flag::Store, !plain_max_tokens && !is(CEREBRAS | XAI | OPEN_CODE | WORKERS_AI)),
            (Flag::DeveloperRole, model.api == openai_responses::API || is(OPENAI)),
            (Flag::ReasoningEffort, !is(XAI | ZAI | MOONSHOT | TOGETHER | CLOUDFLARE_GATEWAY | NVIDIA | ANT_LING)),
            (Flag::UsageInStreaming, true),
            (Flag::FinishReason, true),
            (Flag::ReasoningContent, is(DEEPSEEK)),
            (Flag::LongRetention, claude || !is(TOGETHER | WORKERS_AI | CLOUDFLARE_GATEWAY | NVIDIA | ANT_LING)),
            (Flag::MaxOutputTokens, true),
            (Flag::EagerToolInput, true),
            (Flag::CacheControlOnTools, true),
            (Flag::Temperature, true),
        ] {
            if let Some(place) = compat.flags.get_mut(flag as usize) {
                *place = value;
            }
        }
        compat
    }
}

impl ThinkingFormat {
    fn of(word: &str) -> Self {
        match word {
            "openrouter" => Self::OpenRouter,
            "deepseek" => Self::DeepSeek,
            "zai" => Self::Zai,
            "together" => Self::Together,
            "qwen" => Self::Qwen,
            "qwen-chat-template" => Self::QwenChatTemplate,
            "chat-template" => Self::ChatTemplate,
            "baseten" => Self::Baseten,
            "string-thinking" => Self::StringThinking,
            "ant-ling" => Self::AntLing,
            _ => Self::OpenAi,
        }
    }
}
