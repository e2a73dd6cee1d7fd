/** Any value that JSON can express. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue };

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** `any`, in the places where pi has it and code written for pi relies on that: details of tools, arguments in events. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Loose = any;

/** `true` for the type `any` alone, so that a deliberate `AgentTool<any>` stays loose. */
export type IsAny<T> = 0 extends 1 & T ? true : false;

/**
 * A function type whose parameters are compared loosely, so that a function written against pi's types fits too.
 */
export type Hook<F extends (...args: never[]) => unknown> = {
  call(...args: Parameters<F>): ReturnType<F>;
}["call"];
