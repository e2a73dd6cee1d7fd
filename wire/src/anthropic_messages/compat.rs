//! What a model and its host can.

use crate::json::Reader;
use crate::model::Model;
use crate::read::{self, Read};

/// Flags as pi names them, see `AnthropicMessagesCompat` there.
pub(super) struct Compat {
    pub eager_tool_input: bool,
    pub cache_control_on_tools: bool,
    pub temperature: bool,
    /// The model decides itself how much it thinks; it is told how hard to try.
    pub adaptive_thinking: bool,
    /// Thinking without a signature may go back.
    pub empty_signature: bool,
    pub strict_tools: bool,
    pub long_retention: bool,
    pub session_affinity: bool,
    /// The session header is OpenRouter's.
    pub router_affinity: bool,
}

impl Compat {
    /// What is usual, then what the model says about itself.
    pub fn of(model: &Model<'_>) -> Read<Self> {
        let mut compat = Self {
            eager_tool_input: true,
            cache_control_on_tools: true,
            temperature: true,
            adaptive_thinking: false,
            empty_signature: false,
            strict_tools: false,
            long_retention: true,
            session_affinity: false,
            router_affinity: model.provider == "openrouter",
        };
        read::members(&mut Reader::new(model.compat.unwrap_or("{}")), |key, reader| {
            let flag = match key {
                "supportsEagerToolInputStreaming" => &mut compat.eager_tool_input,
                "supportsCacheControlOnTools" => &mut compat.cache_control_on_tools,
                "supportsTemperature" => &mut compat.temperature,
                "forceAdaptiveThinking" => &mut compat.adaptive_thinking,
                "allowEmptySignature" => &mut compat.empty_signature,
                "supportsStrictTools" => &mut compat.strict_tools,
                "supportsLongCacheRetention" => &mut compat.long_retention,
                "sendSessionAffinityHeaders" => &mut compat.session_affinity,
                "sessionAffinityFormat" => {
                    compat.router_affinity = read::text(reader)?.as_deref() == Some("openrouter");
                    return Ok(());
                }
                _ => return reader.skip(),
            };
            if let Some(value) = read::boolean(reader)? {
                *flag = value;
            }
            Ok(())
        })?;
        Ok(compat)
    }
}
