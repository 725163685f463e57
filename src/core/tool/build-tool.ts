// Completes a tool definition with fail-closed defaults, without losing what its author typed.
import { SdkError } from '../errors.ts';
import { toInputJsonSchema } from '../schema/json-schema.ts';
import type { ToolPermissionResult } from '../permissions/permission.ts';
import type { InputSchema, Tool } from './tool.ts';

type Defaulted =
  | 'isEnabled'
  | 'isConcurrencySafe'
  | 'isReadOnly'
  | 'isDestructive'
  | 'checkPermissions'
  | 'toAutoClassifierInput'
  | 'userFacingName';

/** Where the work is done: in the tool's handler, or in `call` on the agent's thread. Never both. */
type Body<Input extends InputSchema, Output, Progress> =
  | { readonly runsIn: 'worker'; readonly call?: never }
  | {
      readonly runsIn?: never;
      readonly call: NonNullable<Tool<Input, Output, Progress>['call']>;
    };

/**
 * Any string. Under `satisfies` a literal keeps its literal type only if the target type contains
 * one. With plain `string` the built tool's name would widen to `string`.
 */
type LiteralString = '' | (string & {});

/**
 * What an author writes: a {@link Tool} whose seven defaulted members may be left out.
 * Declare a tool as `buildTool({…} satisfies ToolDef<typeof schema, Output, Progress>)`. The
 * members are then checked and their parameters typed, and the built tool keeps its exact type.
 */
export type ToolDef<
  Input extends InputSchema = InputSchema,
  Output = unknown,
  Progress = unknown,
> = Omit<Tool<Input, Output, Progress>, Defaulted | 'call' | 'runsIn' | 'name'> & {
  readonly name: LiteralString;
} & Partial<Pick<Tool<Input, Output, Progress>, Defaulted>> &
  Body<Input, Output, Progress>;

// The parameters are left out on purpose: a default looks at no input, and a function of fewer
// parameters stands for any of more.
interface ToolDefaults {
  isEnabled(): boolean;
  isConcurrencySafe(): boolean;
  isReadOnly(): boolean;
  isDestructive(): boolean;
  checkPermissions(): Promise<ToolPermissionResult>;
  toAutoClassifierInput(): unknown;
  userFacingName(): string;
}

const defaults: Omit<ToolDefaults, 'userFacingName'> = {
  isEnabled: () => true,
  // Security: a tool that doesn't say is taken for one that writes and can't share its turn.
  isConcurrencySafe: () => false,
  isReadOnly: () => false,
  isDestructive: () => false,
  checkPermissions: () => Promise.resolve({ behavior: 'passthrough' }),
  // Security: '' shows the classifier nothing, so auto mode asks.
  toAutoClassifierInput: () => '',
};

/** Has the tool the default `isEnabled`, which is always true? */
export function isAlwaysEnabled({ isEnabled }: Pick<Tool, 'isEnabled'>): boolean {
  return isEnabled === defaults.isEnabled;
}

/**
 * The exact type of a built tool. A member with a default has the author's type if the definition
 * has it, and a union of both types if it may have it. Else it has the default's. All other keys
 * stay as they are.
 */
export type BuiltTool<D> = {
  [K in keyof D as K extends keyof ToolDefaults ? never : K]: D[K];
} & {
  [K in keyof ToolDefaults]: K extends keyof D
    ? undefined extends D[K]
      ? Exclude<D[K], undefined> | ToolDefaults[K]
      : D[K]
    : ToolDefaults[K];
};

/**
 * Completes a definition: defaults first, then the name for people, then the definition itself.
 * A key that is present but undefined counts as left out. Getters stay getters, so that a lazily
 * built schema stays lazy. An instance of a class keeps its methods, which are called on the instance:
 * they find its fields, private ones too.
 *
 * @throws SdkError `invalid-input` for an input schema that isn't zod's or isn't that of one
 * object. Also for one that can't be written as JSON Schema, without an `inputJSONSchema` beside
 * it.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- inference: a tool of any schema is a definition, and only `any` is both in and out
export function buildTool<const D extends ToolDef<any, any, any>>(definition: D): BuiltTool<D> {
  const tool = { ...defaults, userFacingName: () => definition.name };
  const members = listMembers(definition);
  checkSchema(definition.name, members);
  for (const [key, descriptor] of members) {
    const isLeftOut = 'value' in descriptor && descriptor.value === undefined;
    if (!isLeftOut) Object.defineProperty(tool, key, descriptor);
  }
  return tool as unknown as BuiltTool<D>;
}

/** A lazily built schema isn't checked here. With a JSON Schema beside it, anything that parses will do. */
function checkSchema(name: string, members: ReadonlyMap<string, PropertyDescriptor>): void {
  const schema: unknown = members.get('inputSchema')?.value;
  if (schema === undefined || members.has('inputJSONSchema')) return;
  if (typeof schema === 'object' && schema !== null && '_zod' in schema) {
    checkWritten(name, schema as InputSchema);
    return;
  }
  throw new SdkError(
    'invalid-input',
    `The input schema of ${name} is no schema of zod 4: write z.strictObject({ path: z.string() }), say. standardInput takes those of other libraries.`,
    { data: { toolName: name } },
  );
}

/** Here and not by the first request: its author is the one to read the sentence. */
function checkWritten(name: string, schema: InputSchema): void {
  try {
    toInputJsonSchema(name, schema);
  } catch (error) {
    // A part of it stands further down in its module, and will be there by the first request.
    if (error instanceof Error && error.cause instanceof ReferenceError) return;
    throw error;
  }
}

/** The definition's own members and, if it is an instance of a class, those of its classes. */
function listMembers(definition: object): ReadonlyMap<string, PropertyDescriptor> {
  if (isPlain(definition))
    return new Map(Object.entries(Object.getOwnPropertyDescriptors(definition)));
  const members = new Map<string, PropertyDescriptor>();
  for (let at = definition; !isRoot(at); at = Object.getPrototypeOf(at) as object) {
    for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (key === 'constructor' || members.has(key)) continue;
      const isLeftOut = 'value' in descriptor && descriptor.value === undefined;
      members.set(key, isLeftOut ? descriptor : bindMember(definition, key, descriptor));
    }
  }
  return members;
}

function isPlain(definition: object): boolean {
  const prototype = Object.getPrototypeOf(definition) as object | null;
  return prototype === null || isRoot(prototype);
}

/** `Object.prototype`, of whichever realm. */
function isRoot(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null;
}

/** The member, bound to the instance, so that it sees what the instance's methods change. */
function bindMember(
  instance: object,
  key: string,
  { value }: PropertyDescriptor,
): PropertyDescriptor {
  const shared = { configurable: true, enumerable: true };
  if (typeof value !== 'function') return { ...shared, get: () => Reflect.get(instance, key) };
  return { ...shared, writable: true, value: (value as () => unknown).bind(instance) };
}
