// What a worker's half of a tool has in the place of a zod schema: a worker that needs none loads no schema library.

/** Refuses what the tool's schema refuses. */
export interface PlainParser<Input> {
  safeParse(
    input: unknown,
  ):
    | { readonly success: true; readonly data: Input }
    | { readonly success: false; readonly error: Error };
}
