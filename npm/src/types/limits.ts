/** How far a run may go. A limit that is missing, or `Infinity`, limits nothing. */
export interface RunLimits {
  /**
   * Longest silence of a response, in milliseconds: from the request to the first event, and between two events that
   * carry something. Pings do not count as events; the time that listeners take does not count as silence, and tools
   * have nothing to do with it. The request is cancelled and the run ends with code `stream_idle`; what has arrived is
   * kept.
   */
  idleMs?: number | undefined;
  /**
   * Longest time of one tool call, in milliseconds. The signal that the tool got is aborted and the call gets an error
   * result (`details.code` is `tool_timeout`); the run goes on and ignores what the tool does after that.
   */
  toolMs?: number | undefined;
  /**
   * Longest time for the decision about one tool call, in milliseconds: `beforeToolCall`, and separately `approval` with
   * the answer to its request. No decision in time means no: the call gets an error result.
   */
  approvalMs?: number | undefined;
  /** Most requests of a run. Before one more the run ends with code `limit_turns`. */
  maxTurns?: number | undefined;
  /**
   * Most tool calls of a run, counted when a call is valid and not blocked. Further calls get an error result
   * (`details.code` is `limit_tool_calls`), and the run ends with that code before its next request.
   */
  maxToolCalls?: number | undefined;
  /**
   * Most tokens of a run, input and output of all requests together. When they are used up, the run ends with code
   * `limit_tokens` before its next request. A response that does not report its usage is estimated: one token for every
   * four characters of the JSON of request and response, 1200 for an image.
   */
  maxTokens?: number | undefined;
  /**
   * Most US dollars of a run. When they are used up, the run ends with code `limit_cost` before its next request. What
   * is not reported follows from the tokens (see `maxTokens`) and the prices of the model.
   */
  maxCost?: number | undefined;
}

/** What bounds a single tool call. */
export interface ToolCallBounds {
  limits?: RunLimits | undefined;
  /**
   * How long the loop waits for a tool after the run was aborted, in milliseconds. Then the call counts as aborted, and
   * what the tool does after that is ignored. Default: as long as the tool takes.
   */
  toolAbortGraceMs?: number | undefined;
}

/** What bounds a run. Nothing of it is on by default. */
export interface RunBounds extends ToolCallBounds {
  /**
   * Most tools of a batch that run at the same time. The others wait for their turn, in the order of the calls. A call
   * that waits for an approval takes no place.
   */
  toolConcurrency?: number | undefined;
  /**
   * `tool-boundary`: in a sequential batch, steering is looked for after each call. If a message waits, the remaining
   * calls do not run (they get a result that says so) and the model gets the message with its next request.
   */
  steering?: "tool-boundary" | undefined;
}
