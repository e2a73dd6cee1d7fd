//! What a host can and wants: defaults by provider id and address, each of which the model's `compat` may override.

use crate::json::{Kind, Reader};
use crate::model::Model;
use crate::openai_responses;
use crate::read::{self, Read};
use crate::text::has;
use std::borrow::Cow;

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

/// When the session goes into `prompt_cache_key`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CacheKey {
    Auto,
    Enabled,
    Disabled,
}

/// Flags as pi names them, see `OpenAICompletionsCompat` there.
pub(crate) struct Compat<'a> {
    pub supports_store: bool,
    pub supports_developer_role: bool,
    pub supports_reasoning_effort: bool,
    pub supports_usage_in_streaming: bool,
    pub supports_finish_reason: bool,
    /// `max_tokens` instead of `max_completion_tokens`.
    pub plain_max_tokens: bool,
    pub requires_tool_result_name: bool,
    pub requires_assistant_after_tool_result: bool,
    pub requires_non_null_assistant_content: bool,
    pub requires_tools_with_tool_history: bool,
    pub requires_thinking_as_text: bool,
    pub requires_reasoning_content: bool,
    pub thinking_format: ThinkingFormat,
    /// Sources of objects.
    pub open_router_routing: Option<&'a str>,
    pub vercel_gateway_routing: Option<&'a str>,
    pub chat_template_kwargs: Option<&'a str>,
    pub chat_template_args: Option<&'a str>,
    pub zai_tool_stream: bool,
    /// Name of the member that takes a number of thinking tokens.
    pub budget_field: Option<Cow<'a, str>>,
    pub supports_strict_mode: bool,
    pub supports_grammar_tools: bool,
    pub supports_mid_convo_system_messages: bool,
    /// Markers of the Anthropic kind on prompt, tools and messages.
    pub cache_control: bool,
    pub send_session_affinity: bool,
    pub affinity: Affinity,
    pub supports_long_retention: bool,
    pub cache_key: CacheKey,
    /// The cache is told how long to keep something, not which kind of keeping is meant.
    pub supports_explicit_cache: bool,
    pub supports_max_output_tokens: bool,
    /// Source of a number.
    pub vllm_priority: Option<&'a str>,
}

impl<'a> Compat<'a> {
    /// Defaults for the host, then what the model says about itself.
    pub fn of(model: &Model<'a>) -> Read<Self> {
        let mut compat = Self::detect(model);
        let mut supports_budget = false;
        if let Some(source) = model.compat {
            read::members(&mut Reader::new(source), |key, reader| {
                if key == "supportsThinkingTokenBudget" {
                    read::set(&mut supports_budget, reader)?;
                    return Ok(());
                }
                compat.member(key, reader)
            })?;
        }
        if supports_budget && compat.budget_field.is_none() {
            compat.budget_field = Some("thinking_token_budget".into());
        }
        Ok(compat)
    }

    fn member(&mut self, key: &str, reader: &mut Reader<'a>) -> Read<()> {
        let flag = match key {
            "supportsStore" => &mut self.supports_store,
            "supportsDeveloperRole" => &mut self.supports_developer_role,
            "supportsReasoningEffort" => &mut self.supports_reasoning_effort,
            "supportsUsageInStreaming" => &mut self.supports_usage_in_streaming,
            "supportsFinishReason" => &mut self.supports_finish_reason,
            "requiresToolResultName" => &mut self.requires_tool_result_name,
            "requiresAssistantAfterToolResult" => &mut self.requires_assistant_after_tool_result,
            "requiresNonNullAssistantContent" => &mut self.requires_non_null_assistant_content,
            "requiresToolsWithToolHistory" => &mut self.requires_tools_with_tool_history,
            "requiresThinkingAsText" => &mut self.requires_thinking_as_text,
            "requiresReasoningContentOnAssistantMessages" => &mut self.requires_reasoning_content,
            "zaiToolStream" => &mut self.zai_tool_stream,
            "supportsStrictMode" => &mut self.supports_strict_mode,
            "supportsOpenAIGrammarTools" => &mut self.supports_grammar_tools,
            "supportsMidConvoSystemMessages" => &mut self.supports_mid_convo_system_messages,
            "sendSessionAffinityHeaders" => &mut self.send_session_affinity,
            "supportsExplicitPromptCacheMode" => &mut self.supports_explicit_cache,
            "supportsMaxOutputTokens" => &mut self.supports_max_output_tokens,
            "supportsLongCacheRetention" => &mut self.supports_long_retention,
            _ => return self.choice(key, reader),
        };
        if let Some(value) = read::boolean(reader)? {
            *flag = value;
        }
        Ok(())
    }

    fn choice(&mut self, key: &str, reader: &mut Reader<'a>) -> Read<()> {
        match key {
            "openRouterRouting" => read::set_span(&mut self.open_router_routing, Kind::Object, reader)?,
            "vercelGatewayRouting" => read::set_span(&mut self.vercel_gateway_routing, Kind::Object, reader)?,
            "chatTemplateKwargs" => read::set_span(&mut self.chat_template_kwargs, Kind::Object, reader)?,
            "chatTemplateArgs" => read::set_span(&mut self.chat_template_args, Kind::Object, reader)?,
            "thinkingTokenBudgetField" => read::set(&mut self.budget_field, reader)?,
            "vllmPriority" => read::set_span(&mut self.vllm_priority, Kind::Number, reader)?,
            _ => {
                let Some(word) = read::text(reader)? else {
                    return Ok(());
                };
                match (key, word.as_ref()) {
                    ("maxTokensField", word) => self.plain_max_tokens = word == "max_tokens",
                    ("cacheControlFormat", word) => self.cache_control = word == "anthropic",
                    ("thinkingFormat", word) => self.thinking_format = ThinkingFormat::of(word),
                    ("sessionAffinityFormat", "openrouter") => self.affinity = Affinity::Router,
                    ("sessionAffinityFormat", "openai") => self.affinity = Affinity::Full,
                    ("sessionAffinityFormat", _) => self.affinity = Affinity::Anonymous,
                    ("promptCacheKeyMode", "enabled") => self.cache_key = CacheKey::Enabled,
                    ("promptCacheKeyMode", "disabled") => self.cache_key = CacheKey::Disabled,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn detect(model: &Model<'_>) -> Self {
        let provider = model.provider.as_ref();
        let url = model.base_url.to_ascii_lowercase();
        let at = |host: &str| has(&url, host);
        let zai = matches!(provider, "zai" | "zai-coding-cn") || at("api.z.ai") || at("open.bigmodel.cn");
        let together = provider == "together" || at("api.together.ai") || at("api.together.xyz");
        let moonshot = matches!(provider, "moonshotai" | "moonshotai-cn") || at("api.moonshot.");
        let open_router = provider == "openrouter" || at("openrouter.ai");
        let workers_ai = provider == "cloudflare-workers-ai" || at("api.cloudflare.com");
        let cloudflare_gateway = provider == "cloudflare-ai-gateway" || at("gateway.ai.cloudflare.com");
        let nvidia = provider == "nvidia" || at("integrate.api.nvidia.com");
        let ant_ling = provider == "ant-ling" || at("api.ant-ling.com");
        let deepseek = provider == "deepseek" || at("deepseek.com");
        let xai = provider == "xai" || at("api.x.ai");
        let chutes = at("chutes.ai");
        let open_code = provider == "opencode" || at("opencode.ai");
        let cerebras = provider == "cerebras" || at("cerebras.ai");
        let hosts_without_max_completion =
            chutes || deepseek || moonshot || cloudflare_gateway || together || nvidia || ant_ling || zai;
        Self {
            supports_store: !(hosts_without_max_completion || cerebras || xai || open_code || workers_ai),
            supports_developer_role: model.api == openai_responses::API || provider == "openai" || at("api.openai.com"),
            supports_reasoning_effort: !(xai
                || zai
                || moonshot
                || together
                || cloudflare_gateway
                || nvidia
                || ant_ling),
            supports_usage_in_streaming: true,
            supports_finish_reason: true,
            plain_max_tokens: hosts_without_max_completion,
            requires_tool_result_name: false,
            requires_assistant_after_tool_result: false,
            requires_non_null_assistant_content: false,
            requires_tools_with_tool_history: false,
            requires_thinking_as_text: false,
            requires_reasoning_content: deepseek,
            thinking_format: match () {
                () if deepseek => ThinkingFormat::DeepSeek,
                () if zai => ThinkingFormat::Zai,
                () if together => ThinkingFormat::Together,
                () if ant_ling => ThinkingFormat::AntLing,
                () if open_router => ThinkingFormat::OpenRouter,
                () => ThinkingFormat::OpenAi,
            },
            open_router_routing: None,
            vercel_gateway_routing: None,
            chat_template_kwargs: None,
            chat_template_args: None,
            zai_tool_stream: false,
            budget_field: None,
            supports_strict_mode: false,
            supports_grammar_tools: false,
            supports_mid_convo_system_messages: false,
            cache_control: provider == "openrouter" && model.id.starts_with("anthropic/"),
            // pi sends a session header to OpenRouter by itself; from a page every extra header risks the preflight.
            send_session_affinity: false,
            affinity: if open_router { Affinity::Router } else { Affinity::Full },
            supports_long_retention: !(together || workers_ai || cloudflare_gateway || nvidia || ant_ling),
            cache_key: CacheKey::Auto,
            supports_explicit_cache: false,
            supports_max_output_tokens: true,
            vllm_priority: None,
        }
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
