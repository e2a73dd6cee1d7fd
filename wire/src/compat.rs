//! What a host can and wants: defaults by provider id and address, each of which the model's `compat` may override.

use crate::anthropic_messages;
use crate::doc::At;
use crate::model::Model;
use crate::openai_responses;
use crate::text::{has, pieces};
use crate::transcript::{CallIds, Target};

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
    /// `max_tokens` instead of `max_completion_tokens`.
    PlainMaxTokens,
    /// Markers of the Anthropic kind on prompt, tools and messages.
    CacheControl,
}

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
/// The Responses API at any address.
const RESPONSES: u16 = 1 << 13;
/// A Claude behind OpenRouter.
const ROUTED_CLAUDE: u16 = 1 << 14;

/// Hosts that take the older name of the limit.
const PLAIN: u16 = CHUTES | DEEPSEEK | MOONSHOT | CLOUDFLARE_GATEWAY | TOGETHER | NVIDIA | ANT_LING | ZAI;

const ALWAYS: (u16, bool) = (0, false);
const NEVER: (u16, bool) = (0, true);

/// The flags in the order of [`Flag`]: names as pi has them in `OpenAICompletionsCompat` and `AnthropicMessagesCompat`,
/// then hosts, and whether these have it (or all others).
const FLAGS: [(&str, (u16, bool)); 28] = [
    ("supportsStore", (PLAIN | CEREBRAS | XAI | OPEN_CODE | WORKERS_AI, false)),
    ("supportsDeveloperRole", (RESPONSES, true)),
    ("supportsReasoningEffort", (XAI | ZAI | MOONSHOT | TOGETHER | CLOUDFLARE_GATEWAY | NVIDIA | ANT_LING, false)),
    ("supportsUsageInStreaming", ALWAYS),
    ("supportsFinishReason", ALWAYS),
    ("requiresToolResultName", NEVER),
    ("requiresAssistantAfterToolResult", NEVER),
    ("requiresNonNullAssistantContent", NEVER),
    ("requiresToolsWithToolHistory", NEVER),
    ("requiresThinkingAsText", NEVER),
    ("requiresReasoningContentOnAssistantMessages", (DEEPSEEK, true)),
    ("zaiToolStream", NEVER),
    ("supportsStrictMode", NEVER),
    ("supportsOpenAIGrammarTools", NEVER),
    ("supportsMidConvoSystemMessages", NEVER),
    ("sendSessionAffinityHeaders", NEVER),
    ("supportsExplicitPromptCacheMode", NEVER),
    ("supportsMaxOutputTokens", ALWAYS),
    ("supportsLongCacheRetention", (TOGETHER | WORKERS_AI | CLOUDFLARE_GATEWAY | NVIDIA | ANT_LING, false)),
    ("supportsThinkingTokenBudget", NEVER),
    ("supportsEagerToolInputStreaming", ALWAYS),
    ("supportsCacheControlOnTools", ALWAYS),
    ("supportsTemperature", ALWAYS),
    ("forceAdaptiveThinking", NEVER),
    ("allowEmptySignature", NEVER),
    ("supportsStrictTools", NEVER),
    // Words and not yes or no, see `YES`.
    ("maxTokensField", (PLAIN, true)),
    ("cacheControlFormat", (ROUTED_CLAUDE, true)),
];

/// The words that say yes to the last flags.
const YES: [&str; 2] = ["max_tokens", "anthropic"];

/// Thinking formats by their names and hosts.
const FORMATS: [(&str, u16, ThinkingFormat); 10] = [
    ("deepseek", DEEPSEEK, ThinkingFormat::DeepSeek),
    ("zai", ZAI, ThinkingFormat::Zai),
    ("together", TOGETHER, ThinkingFormat::Together),
    ("ant-ling", ANT_LING, ThinkingFormat::AntLing),
    ("openrouter", OPEN_ROUTER, ThinkingFormat::OpenRouter),
    ("qwen", 0, ThinkingFormat::Qwen),
    ("qwen-chat-template", 0, ThinkingFormat::QwenChatTemplate),
    ("chat-template", 0, ThinkingFormat::ChatTemplate),
    ("baseten", 0, ThinkingFormat::Baseten),
    ("string-thinking", 0, ThinkingFormat::StringThinking),
];

/// How hosts are known: by the id of a provider, or, with a dot in it, by a part of an address.
/// A line for each host, in the order of their bits.
const HOSTS: &str = "\
    zai zai-coding-cn api.z.ai open.bigmodel.cn\n\
    together api.together.ai api.together.xyz\n\
    moonshotai moonshotai-cn api.moonshot.\n\
    openrouter openrouter.ai\n\
    cloudflare-workers-ai api.cloudflare.com\n\
    cloudflare-ai-gateway gateway.ai.cloudflare.com\n\
    nvidia integrate.api.nvidia.com\n\
    ant-ling api.ant-ling.com\n\
    deepseek deepseek.com\n\
    xai api.x.ai\n\
    chutes.ai\n\
    opencode opencode.ai\n\
    cerebras cerebras.ai";

/// What the host of a model can and wants.
pub(crate) struct Compat<'a> {
    /// A bit per flag.
    flags: u32,
    hosts: u16,
    /// What the model says about itself.
    pub at: At<'a>,
}

impl<'a> Compat<'a> {
    /// Defaults for the host, then what the model says about itself.
    pub fn of(model: &Model<'a>) -> Self {
        let mut compat = Self { flags: 0, hosts: hosts(model), at: model.compat };
        for (place, (name, (hosts, have))) in FLAGS.into_iter().enumerate() {
            let value = compat.at.at(name);
            let word = YES.get(place.wrapping_sub(Flag::PlainMaxTokens as usize));
            let on = match (value.first(), word) {
                (b't', None) => true,
                (b'f', None) => false,
                (b'"', Some(word)) if !value.is_empty() => value.is(word),
                _ => (compat.hosts & hosts != 0) == have,
            };
            compat.flags |= u32::from(on) << place;
        }
        compat
    }

    /// Whether the host can or wants something.
    pub fn has(&self, flag: Flag) -> bool {
        self.flags >> flag as u32 & 1 == 1
    }

    /// What the host takes of a conversation, with call ids of its form.
    pub fn target(&self, ids: CallIds) -> Target<'static> {
        Target {
            in_place: self.has(Flag::MidConvoSystemMessages),
            ids,
            grammar: self.has(Flag::GrammarTools),
            strict: self.has(Flag::StrictMode),
            refused: &[],
        }
    }

    pub fn thinking_format(&self) -> ThinkingFormat {
        let name = self.at.at("thinkingFormat");
        let found =
            FORMATS.iter().find(|format| if name.is_empty() { self.hosts & format.1 != 0 } else { name.is(format.0) });
        found.map_or(ThinkingFormat::OpenAi, |format| format.2)
    }

    /// pi sends a session header to OpenRouter by itself; from a page every extra header risks the preflight.
    pub fn affinity(&self) -> Affinity {
        let name = self.at.at("sessionAffinityFormat");
        let router = if name.is_empty() { self.hosts & OPEN_ROUTER != 0 } else { name.is("openrouter") };
        if router {
            Affinity::Router
        } else if name.is_empty() || name.is("openai") {
            Affinity::Full
        } else {
            Affinity::Anonymous
        }
    }
}

/// The hosts that a model's is known as.
fn hosts(model: &Model<'_>) -> u16 {
    let url = model.base_url.to_ascii_lowercase();
    let mut hosts = 0;
    for (bit, line) in pieces(HOSTS, b'\n').into_iter().enumerate() {
        for name in pieces(line, b' ') {
            if model.provider == name || has(name, ".") && has(&url, name) {
                hosts |= 1 << bit;
            }
        }
    }
    if model.api == anthropic_messages::API {
        // The Messages API is the same at any address.
        return if model.provider == "openrouter" { OPEN_ROUTER } else { 0 };
    }
    if model.api == openai_responses::API {
        hosts |= RESPONSES;
    }
    if model.provider == "openrouter" && model.id.starts_with("anthropic/") {
        hosts |= ROUTED_CLAUDE;
    }
    hosts
}
