/** The settings for classes of a project's tsconfig.json. */
export interface ClassOptions {
  /** TypeScript's own of before, by `experimentalDecorators`, or the language's. */
  readonly decorators: 'legacy' | 'standard';
  /** `emitDecoratorMetadata`: types as values, which injection asks for. */
  readonly emitsTypes: boolean;
  readonly strictNullChecks: boolean;
  /** Fields are defined as the language has it, or assigned in the constructor (`useDefineForClassFields: false`). */
  readonly fields: 'define' | 'assign';
}

/** The settings without a tsconfig.json. */
export const defaultClassOptions: ClassOptions = {
  decorators: 'standard',
  emitsTypes: false,
  strictNullChecks: false,
  fields: 'define',
};
