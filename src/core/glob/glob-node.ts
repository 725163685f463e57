// The syntax tree of a glob, in either of its dialects. glob-matcher.ts runs it.

/** One part of a glob: a character or a wildcard. */
export type GlobNode =
  | { readonly kind: 'character'; readonly codePoint: number }
  /** `?`: any character but a slash. */
  | { readonly kind: 'one' }
  /** `[a-z]`: one of these characters, or none of them; it may be a slash. */
  | {
      readonly kind: 'class';
      readonly ranges: readonly CodePointRange[];
      readonly isNegated: boolean;
    }
  /** `*`: any characters but slashes, or none. */
  | { readonly kind: 'name' }
  /** `**`: any characters, or none. */
  | { readonly kind: 'path' }
  /** A `**` between two slashes, with the second of them: any directories, or none. */
  | { readonly kind: 'directories' }
  | { readonly kind: 'alternatives'; readonly branches: readonly GlobNodes[] };

export type GlobNodes = readonly GlobNode[];

/** Both ends are included. */
export interface CodePointRange {
  readonly from: number;
  readonly to: number;
}

export const slashCodePoint = 0x2f;
