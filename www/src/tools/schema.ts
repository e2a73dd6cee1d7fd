/** A JSON Schema whose arguments have the type `T`. The type exists for the compiler only. */
export type Arguments<T> = object & { readonly static: T };

/** A JSON Schema of an object, for the `parameters` of a tool. */
export function parameters<T>(properties: Record<keyof T & string, object>): Arguments<T> {
  const schema = {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
  return schema as object as Arguments<T>;
}
