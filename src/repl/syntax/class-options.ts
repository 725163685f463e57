/** The settings for classes of a project's tsconfig.json. */
export interface ClassOptions {
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
}

/** The settings without a tsconfig.json. */
export const defaultClassOptions: ClassOptions = {
  decorators: 'standard',
  emitsTypes: false,
  strictNullChecks: false,
  fields: 'define',
};
