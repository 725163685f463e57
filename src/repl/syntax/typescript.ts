// TypeScript and JSX become JavaScript with the same line numbers. The stripper is loaded only when
// a session first meets code that may need it.
import type { Program } from 'acorn';
import { SdkError } from '../../core/errors.ts';
import { toCodeSyntaxError, walk } from './parse.ts';

export interface StripOptions {
  readonly jsx: boolean;
  /** Cells keep imports that they don't use yet: a later cell may. Modules lose type-only ones. */
  readonly keepUnusedImports: boolean;
}

/**
 * Strips types; line numbers stay.
 *
 * @throws CodeSyntaxError
 */
export type StripTypes = (code: string, options: StripOptions) => string;

/**
 * Loads the stripper; the second call costs nothing.
 *
 * @throws SdkError `unsupported-environment` when its file can't be fetched
 */
export async function loadStripTypes(): Promise<StripTypes> {
  const { transform } = await import('sucrase').catch((error: unknown) => {
    throw toLoadError(error);
  });
  return (code, { jsx, keepUnusedImports }) => {
    try {
      return transform(code, {
        transforms: jsx ? ['typescript', 'jsx'] : ['typescript'],
        // The engine is newer than what sucrase would translate to.
        disableESTransforms: true,
        keepUnusedImports,
        production: true,
        jsxRuntime: 'automatic',
      }).code;
    } catch (error) {
      throw toCodeSyntaxError(error);
    }
  };
}

function toLoadError(cause: unknown): SdkError {
  return new SdkError(
    'unsupported-environment',
    `What strips TypeScript's types could not be loaded: ${cause instanceof Error ? cause.message : cause}. ` +
      "Check the network, and that the library's sucrase.js is served beside the tool worker's " +
      'file, then try again.',
    { cause },
  );
}

/**
 * Does code that parses as JavaScript look like TypeScript all the same? `f<T>(x)` is a pair of
 * comparisons to a JavaScript parser, and nobody means that.
 */
export function hasTypeArguments(program: Program, code: string): boolean {
  let found = false;
  walk(program, (node) => {
    if (
      node.type === 'BinaryExpression' &&
      node.operator === '>' &&
      node.left.type === 'BinaryExpression' &&
      node.left.operator === '<' &&
      node.left.start === node.start &&
      code.charAt(node.left.start) !== '(' &&
      /^\s*>\s*\(/u.test(code.slice(node.left.end))
    ) {
      found = true;
    }
    return !found;
  });
  return found;
}
