// A parser that the worker half of a tool may have instead of a zod schema, so that its worker doesn't load zod.

/** Must refuse every input that the tool's schema refuses. */
export interface PlainParser<Input> {
  safeParse(
    input: unknown,
  ):
    | { readonly success: true; readonly data: Input }
    | { readonly success: false; readonly error: Error };
}
