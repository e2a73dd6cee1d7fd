import type { IsAny } from "./json.js";

// How the type of a tool's arguments follows from its schema. Nothing here exists at run time.

/** The part of the Standard Schema interface (https://standardschema.dev) that inference needs. */
export interface StandardSchemaLike {
  readonly "~standard": {
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined;
  };
}

/**
 * The arguments that a tool with the parameter schema `TParameters` receives.
 *
 * - Standard Schema (Zod, Valibot, ArkType): the schema's output type
 * - TypeBox, version 0 and 1: the schema's static type
 * - a JSON Schema built with pi's schema builders: the type they record
 * - any other JSON Schema: `unknown`
 */
export type AgentToolParams<TParameters> = IsAny<TParameters> extends true ? TParameters : Infer<TParameters>;

type Infer<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? Output<NonNullable<T>>
  : S extends { readonly "~kind": infer Kind }
    ? FromKind<S, Kind>
    : S extends { readonly "~unsafe": infer T }
      ? T
      : S extends { static: unknown }
        ? (S & { params: [] })["static"]
        : FromBrand<S>;

type Output<T> = T extends { readonly output: infer O } ? O : unknown;

// pi's builders record the type under an optional unique symbol beside an index signature.
// By `infer`, not by indexing: an indexed access would make `AgentTool` invariant, and no typed tool would fit a list.
type FromBrand<S> = S extends { readonly [key: symbol]: infer T }
  ? unknown extends T
    ? unknown
    : Exclude<T, undefined>
  : unknown;

// TypeBox 1 keeps no static type: it follows from the kind.
type FromKind<S, Kind> = Kind extends keyof Simple
  ? Simple[Kind]
  : S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : S extends { readonly anyOf: readonly (infer Branch)[] }
        ? Infer<Branch>
        : S extends { readonly properties: infer Properties }
          ? FromProperties<Properties>
          : S extends { readonly patternProperties: infer Patterns }
            ? Record<string, Infer<Patterns[keyof Patterns]>>
            : S extends { readonly items: infer Items }
              ? FromItems<Items>
              : unknown;

interface Simple {
  String: string;
  Number: number;
  Integer: number;
  Boolean: boolean;
  Null: null;
}

type FromItems<Items> = Items extends readonly unknown[]
  ? { -readonly [Index in keyof Items]: Infer<Items[Index]> }
  : Infer<Items>[];

interface OptionalMark {
  readonly "~optional": true;
}

type FromProperties<P> = Flat<
  { -readonly [K in keyof P as P[K] extends OptionalMark ? never : K]: Infer<P[K]> } & {
    -readonly [K in keyof P as P[K] extends OptionalMark ? K : never]?: Infer<P[K]>;
  }
>;

type Flat<T> = { [K in keyof T]: T[K] };
