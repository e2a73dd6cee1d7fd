import type { Broadcast } from "./broadcast.js";
import { EventStream } from "./event-stream.js";
import type { AgentEvent, AgentMessage, CustomMessage } from "./types.js";

/** The events of a run, and the messages it added. */
type RunStream<TCustom extends CustomMessage> = EventStream<AgentEvent<TCustom>, AgentMessage<TCustom>[]>;

// Complete only when the run has settled, not already at `agent_end`.
function openStream<TCustom extends CustomMessage>(): RunStream<TCustom> {
  return new EventStream(
    () => false,
    () => [],
  );
}

/** A stream without events that fails at once. */
export function failedStream<TCustom extends CustomMessage>(error: unknown): RunStream<TCustom> {
  const stream = openStream<TCustom>();
  stream.fail(error);
  return stream;
}

/** Starts a run and gives its events until it has settled. */
export function streamOf<TCustom extends CustomMessage>(
  broadcast: Broadcast<TCustom>,
  run: () => Promise<void>,
): RunStream<TCustom> {
  const stream = openStream<TCustom>();
  const added: AgentMessage<TCustom>[] = [];
  const untap = broadcast.tap({
    push(event) {
      if (event.type === "message_end") added.push(event.message);
      stream.push(event);
    },
    close: () => stream.end(added),
  });
  run()
    .then(
      () => stream.end(added),
      (thrown: unknown) => stream.fail(thrown),
    )
    .finally(untap);
  return stream;
}
