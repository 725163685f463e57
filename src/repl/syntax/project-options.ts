/** The settings of a project's tsconfig.json that decide how its files are compiled. */
export interface ProjectOptions {
  /** TypeScript's legacy decorators (`experimentalDecorators`), or those of the language. */
  readonly decorators: 'legacy' | 'standard';
  /** `emitDecoratorMetadata`: emits types as values, which dependency injection reads. */
  readonly emitsTypes: boolean;
  readonly strictNullChecks: boolean;
  /**
   * Whether fields are defined, as in the language, or assigned in the constructor
   * (`useDefineForClassFields: false`).
   */
  readonly fields: 'define' | 'assign';
  /** How JSX is compiled, where a file doesn't say so itself. */
  readonly jsx: JsxOptions;
}

/** TypeScript's `jsxImportSource`, `jsxFactory` and `jsxFragmentFactory`. */
export interface JsxOptions {
  readonly importSource?: string | undefined;
  readonly factory?: string | undefined;
  readonly fragmentFactory?: string | undefined;
}

/** The settings without a tsconfig.json. */
export const defaultProjectOptions: ProjectOptions = {
  decorators: 'standard',
  emitsTypes: false,
  strictNullChecks: false,
  fields: 'define',
  jsx: {},
};
