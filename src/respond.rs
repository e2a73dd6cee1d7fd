//! One model request: transform, convert, key, stream, in this order.

use crate::host::Host;

/// Ask the model once. The answer is the last message of the context when this returns.
pub(crate) async fn respond<H: Host>(host: &H, context: &H::Context) -> Result<H::Message, H::Failure> {
    let messages = host.transform_context(context).await?;
    let messages = host.convert_to_llm(&messages).await?;
    host.resolve_api_key().await?;
    host.stream(context, &messages).await
}
