// Values that nobody expects. Each is made anew for every use, because some change when they are touched.

const boom = () => {
  throw new Error("getter");
};

const NAMES = [
  ...[
    "type",
    "role",
    "content",
    "then",
    "length",
    "message",
    "name",
    "id",
    "arguments",
    "stopReason",
    "toString",
  ],
  ...[
    "block",
    "action",
    "context",
    "messages",
    "model",
    "details",
    "isError",
    "terminate",
    "usage",
    "parameters",
  ],
  ...["execute", "result", "partial", "constructor", "toJSON", "~standard", "prepareArguments"],
];

/** Every member that the package may read throws. */
function mined() {
  const target = {};
  for (const name of NAMES) Object.defineProperty(target, name, { enumerable: true, get: boom });
  Object.defineProperty(target, Symbol.asyncIterator, { get: boom });
  Object.defineProperty(target, Symbol.iterator, { get: boom });
  Object.defineProperty(target, Symbol.toPrimitive, { get: boom });
  Object.defineProperty(target, Symbol.toStringTag, { get: boom });
  return target;
}

/** A proxy whose every trap throws. */
function armed() {
  const traps = [
    "get",
    "set",
    "has",
    "ownKeys",
    "getPrototypeOf",
    "getOwnPropertyDescriptor",
    "defineProperty",
  ];
  return new Proxy({}, Object.fromEntries(traps.map((trap) => [trap, boom])));
}

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function cyclic() {
  const value = { type: "text", text: "x" };
  value.self = value;
  return value;
}

function deep() {
  let value = {};
  for (let i = 0; i < 20_000; i++) value = { value };
  return value;
}

class Point {
  x = 1;
  get then() {
    return undefined;
  }
}

class Oddity extends Promise {
  then(fulfil) {
    return super.then(() => {
      fulfil?.("once");
      fulfil?.("twice");
    });
  }
}

/** A promise of the usual class that answers twice, at once. */
function chatty() {
  const promise = Promise.resolve("calm");
  promise.then = (fulfil, reject) => {
    fulfil?.("once");
    fulfil?.("twice");
    reject?.(new Error("and no"));
  };
  return promise;
}

/**
 * @param steersman the package
 * @param realm constructors of another realm (an iframe, a vm context)
 */
export const values = (steersman, realm) => ({
  undefined: () => undefined,
  null: () => null,
  zero: () => 0,
  NaN: () => Number.NaN,
  "empty text": () => "",
  text: () => "text",
  true: () => true,
  symbol: () => Symbol("s"),
  bigint: () => 10n,
  function: () => () => "called",
  "class instance": () => new Point(),
  "null-prototype object": () => Object.create(null),
  "empty array": () => [],
  "frozen object": () => Object.freeze({ type: "text", text: "x", role: "user", content: "frozen" }),
  "frozen array": () => Object.freeze([Object.freeze({ type: "text", text: "x" })]),
  "sparse array": () => new Array(3),
  "array-like": () => ({ length: 2, 0: "a", 1: "b" }),
  "array-like without end": () => ({ length: Number.POSITIVE_INFINITY }),
  "negative length": () => ({ length: -1 }),
  "length of text": () => ({ length: "2" }),
  "proxy of an object": () => new Proxy({ type: "text", text: "x", role: "user", content: "proxied" }, {}),
  "proxy of an array": () => new Proxy([{ type: "text", text: "x" }], {}),
  "proxy whose traps throw": armed,
  "revoked proxy": revoked,
  "getters that throw": mined,
  "cyclic object": cyclic,
  "deep object": deep,
  Date: () => new Date(0),
  Map: () => new Map([[1, 2]]),
  bytes: () => new Uint8Array([1, 2, 3]),
  Error: () => new Error("an error"),
  "Error without a text": () => new Error(""),
  "Error with a hostile message": () => Object.defineProperty(new Error("x"), "message", { get: boom }),
  "proxy that poses as an AgentError": () =>
    new Proxy({}, { get: boom, getPrototypeOf: () => steersman.AgentError.prototype }),
  "AgentError with a hostile code": () =>
    Object.defineProperty(new steersman.AgentError("internal", "x"), "code", { get: boom }),
  DOMException: () => new DOMException("gone", "AbortError"),
  promise: () => Promise.resolve("later"),
  "rejected promise": () => {
    const promise = Promise.reject(new Error("later"));
    promise.catch(() => {});
    return promise;
  },
  "promise of a subclass": () => Oddity.resolve("later"),
  "promise that answers twice": chatty,
  thenable: () => ({ then: (fulfil) => fulfil("later") }),
  "thenable that rejects": () => ({ then: (_fulfil, reject) => reject(new Error("later")) }),
  "thenable that throws": () => ({ then: boom }),
  "thenable that answers twice": () => ({
    then(fulfil, reject) {
      fulfil("later");
      reject(new Error("never"));
    },
  }),
  "getter of then that throws": () => Object.defineProperty({}, "then", { get: boom }),
  "object of another realm": () =>
    realm.Object.assign(new realm.Object(), { role: "user", content: "abroad" }),
  "array of another realm": () => realm.Array.of({ type: "text", text: "abroad" }),
  "error of another realm": () => new realm.Error("abroad"),
  "promise of another realm": () => realm.Promise.resolve("abroad"),
});
