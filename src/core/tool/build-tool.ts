// // Completes a tool definition with fail-closed defaults, and keeps the exact types of its members.
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

/** A tool's work is done either in its handler or in `call` on the agent's thread, never in both. */
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

// The defaults have no parameters on purpose, because they look at no input. TypeScript accepts a function with fewer
// parameters.
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
  // Security: without a declaration a tool counts as one that writes and that no other call may run beside.
  isConcurrencySafe: () => false,
  isReadOnly: () => false,
  isDestructive: () => false,
  checkPermissions: () => Promise.resolve({ behavior: 'passthrough' }),
  // Security: '' shows the classifier nothing, so auto mode asks.
  toAutoClassifierInput: () => '',
};

/** True if the tool has the default `isEnabled`, which is always true. */
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
 * Completes a definition: defaults first, then the name for people, then the definition itself. A key whose value is
 * undefined counts as left out. Getters stay getters, so that a lazily built schema stays lazy. The definition may be
 * an instance of a class: its methods are called on the instance, and can use its private fields.
 *
 * @throws SdkError `invalid-input` if the input schema isn't a zod schema of one object, or if it can't be converted
 * to JSON Schema and there is no `inputJSONSchema`
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

/** A lazily built schema isn't checked here. If the tool has a JSON Schema, any parser is accepted. */
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

/** Checks this when the tool is defined, not at the first request, so that its author sees the error. */
function checkWritten(name: string, schema: InputSchema): void {
  try {
    toInputJsonSchema(name, schema);
  } catch (error) {
    // A part of the schema is declared further down in its module. It will exist by the first request.
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

/** The member, bound to the instance, so that it sees changes by the instance's methods. */
function bindMember(
  instance: object,
  key: string,
  { value }: PropertyDescriptor,
): PropertyDescriptor {
  const shared = { configurable: true, enumerable: true };
  if (typeof value !== 'function') return { ...shared, get: () => Reflect.get(instance, key) };
  return { ...shared, writable: true, value: (value as () => unknown).bind(instance) };
}
