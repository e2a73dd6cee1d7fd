// Names of properties that only the code of this package sees, which the build makes short like those that begin with `_`.
// None of them may be a name of the language, of a browser, of pi, of what the engine reads or writes as JSON, or of what
// is stored or sent: `scripts/checks/architecture.mjs` looks for the first kinds.

export const ownNames = [
  // Runs and their limits
  "approvalCase",
  "decide",
  "forToolCall",
  "graceMs",
  "lifecycle",
  "limiter",
  "replacedArguments",
  "unchanged",
  // Queues, receipts and listeners
  "deliver",
  "deliverUpdate",
  "drain",
  "isEmpty",
  "putBack",
  "receipt",
  "runEnded",
  "skipFirstPoll",
  "takeAll",
  "takeFollowUps",
  "takeNext",
  "takeSteering",
  "totals",
  // Responses
  "become",
  "broken",
  "handedOver",
  "hasContent",
  "hasNext",
  "isSilent",
  "lastWord",
  "onProviderEvent",
  "transient",
  "unlessSilent",
];
