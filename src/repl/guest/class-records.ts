// Records of decorated classes while they are created: the decorated elements, their decorators,
// and the results.

export type Maker<Record> = (record: Record) => Function;
type Key = string | symbol;
type Initializer = (this: unknown, value: unknown) => unknown;

interface Element {
  readonly kind: string;
  readonly isStatic: boolean;
  name: Key;
  /** The decorators, or for legacy decorators a function that returns them. */
  readonly decorators: unknown;
  readonly initializers: Initializer[];
  readonly extras: Function[];
}

interface Access {
  readonly has: (object: object) => boolean;
  readonly get: (object: object) => unknown;
  readonly set: (object: object, value: unknown) => void;
}

/**
 * The name of the static methods that pass decorators to the record. They are deleted once the
 * class exists.
 */
const marker = Symbol('decorators');

class ClassRecord {
  protected readonly elements: Element[] = [];
  protected readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  /** Records an element. Called where the element's decorators stand. */
  element(kind: string, isStatic: boolean, name: Key, decorators: unknown): symbol {
    this.elements.push({ kind, isStatic, name, decorators, initializers: [], extras: [] });
    return marker;
  }

  /** Records the computed key of the last element. */
  key(value: unknown): Key {
    const key = typeof value === 'symbol' ? value : String(value);
    const last = this.elements.at(-1);
    if (last) last.name = key;
    return key;
  }

  /** Finishes the class itself. Called before any other static initializer. */
  protected begun(made: Function): void {
    delete (made as { [marker]?: unknown })[marker];
    const own = Object.getOwnPropertyDescriptor(made, 'name');
    if (own === undefined || own.value === '')
      Object.defineProperty(made, 'name', { value: this.name, configurable: true });
  }
}

export class LegacyClass extends ClassRecord {
  #ofConstructor: () => unknown[] = () => [];

  make(decorators: () => unknown[], make: Maker<LegacyClass>): Function {
    const made = make(this);
    for (const isStatic of [false, true]) {
      for (const element of this.elements) {
        if (element.isStatic !== isStatic) continue;
        const target = isStatic ? made : (made.prototype as object);
        const given = (element.decorators as () => unknown[])();
        // A field has no descriptor, because it doesn't exist yet.
        const descriptor =
          element.kind === 'property'
            ? undefined
            : Object.getOwnPropertyDescriptor(target, element.name);
        const result = decorate(given, [target, element.name, descriptor]);
        if (result) Object.defineProperty(target, element.name, result as PropertyDescriptor);
      }
    }
    const given = [...decorators(), ...this.#ofConstructor()];
    return given.length === 0 ? made : (decorate(given, [made]) as Function);
  }

  /** Decorators of constructor parameters are applied to the class. */
  params(decorators: () => unknown[]): symbol {
    this.#ofConstructor = decorators;
    return marker;
  }

  start(made: Function): Function {
    this.begun(made);
    return made;
  }
}

/** Applies decorators from last to first. Each may return a new class or descriptor. */
function decorate(
  decorators: unknown[],
  given: [object, Key?, (PropertyDescriptor | undefined)?],
): unknown {
  const { decorate: own } = Reflect as { decorate?: unknown };
  if (typeof own === 'function') return own(decorators, ...given);
  const [target, key, descriptor] = given;
  let result: unknown = given.length === 1 ? target : descriptor;
  for (const decorator of decorators.toReversed()) {
    if (!decorator) continue;
    const call = decorator as Function;
    result = (given.length === 1 ? call(result) : call(target, key, result)) || result;
  }
  return result;
}

export class StandardClass extends ClassRecord {
  readonly #decorators: unknown[];
  readonly #classExtras: Function[] = [];
  readonly #staticExtras: Function[] = [];
  readonly #instanceExtras: Function[] = [];
  #final: Function | undefined;

  constructor(name: string, decorators: unknown[]) {
    super(name);
    this.#decorators = decorators;
  }

  make(make: Maker<StandardClass>): Function {
    const made = make(this);
    const final = this.#final ?? made;
    for (const extra of this.#classExtras) extra.call(final);
    return final;
  }

  start(made: Function, access: Record<number, Access> = {}): Function {
    this.begun(made);
    const { metadata: symbol } = Symbol as { metadata?: symbol };
    const parent: unknown = Object.getPrototypeOf(made);
    const metadata =
      symbol === undefined
        ? undefined
        : Object.create((parent as Record<symbol, object | undefined> | null)?.[symbol] ?? null);
    const isField = ({ kind }: Element) => kind === 'field';
    const order = (element: Element) => (isField(element) ? 2 : 0) + (element.isStatic ? 0 : 1);
    for (const element of this.elements.toSorted((a, b) => order(a) - order(b)))
      this.#decorate(made, element, metadata, access[this.elements.indexOf(element)]);
    let final: Function = made;
    for (const decorator of this.#decorators.toReversed()) {
      const open = { isOpen: true };
      const context = {
        kind: 'class',
        name: this.name,
        metadata,
        addInitializer: adder(this.#classExtras, open),
      };
      final = accept((decorator as Function)(final, context)) ?? final;
      open.isOpen = false;
    }
    if (symbol !== undefined)
      Object.defineProperty(final, symbol, {
        value: metadata,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    this.#final = final;
    for (const extra of this.#staticExtras) extra.call(final);
    return final;
  }

  /** Runs initializers when an instance exists, before its fields. */
  begin(instance: unknown): void {
    for (const extra of this.#instanceExtras) extra.call(instance);
  }

  /** Returns the initial value of a field. */
  init(instance: unknown, index: number, value: unknown): unknown {
    let result = value;
    for (const initializer of this.elements[index]?.initializers ?? [])
      result = initializer.call(instance, result);
    return result;
  }

  /** Runs initializers after a field was defined. */
  extra(instance: unknown, index: number): void {
    for (const extra of this.elements[index]?.extras ?? []) extra.call(instance);
  }

  #decorate(made: Function, element: Element, metadata: unknown, given: Access | undefined): void {
    const { kind, isStatic, name } = element;
    const target = isStatic ? made : (made.prototype as object);
    const descriptor = kind === 'field' ? undefined : Object.getOwnPropertyDescriptor(target, name);
    const extras =
      kind === 'field' || kind === 'accessor'
        ? element.extras
        : isStatic
          ? this.#staticExtras
          : this.#instanceExtras;
    for (const decorator of (element.decorators as unknown[]).toReversed()) {
      const open = { isOpen: true };
      const context = {
        kind,
        name,
        static: isStatic,
        private: given !== undefined,
        access: accessOf(kind, name, given),
        metadata,
        addInitializer: adder(extras, open),
      };
      const value =
        kind === 'accessor'
          ? { get: descriptor?.get, set: descriptor?.set }
          : descriptor?.[valueNames[kind] ?? 'value'];
      const result: unknown = (decorator as Function)(value, context);
      open.isOpen = false;
      if (kind === 'accessor') takeAccessor(result, element, descriptor);
      else {
        const replacement = accept(result);
        if (!replacement) continue;
        if (descriptor) Object.assign(descriptor, { [valueNames[kind] ?? 'value']: replacement });
        else element.initializers.unshift(replacement as Initializer);
      }
    }
    if (descriptor) Object.defineProperty(target, name, descriptor);
  }
}

const valueNames: Readonly<Record<string, 'get' | 'set' | 'value'>> = {
  getter: 'get',
  setter: 'set',
};

function takeAccessor(
  result: unknown,
  { initializers }: Element,
  descriptor: PropertyDescriptor | undefined,
): void {
  if (result === undefined) return;
  if (typeof result !== 'object' || result === null)
    throw new TypeError('A decorator of an accessor gives an object or nothing');
  const { get, set, init } = result as Record<string, unknown>;
  if (accept(get)) Object.assign(descriptor ?? {}, { get });
  if (accept(set)) Object.assign(descriptor ?? {}, { set });
  if (accept(init)) initializers.unshift(init as Initializer);
}

function accessOf(kind: string, name: Key, given: Access | undefined) {
  const { has, get, set } = given ?? {
    has: (object: object) => name in object,
    get: (object: object) => (object as Record<Key, unknown>)[name],
    set(object: object, value: unknown) {
      (object as Record<Key, unknown>)[name] = value;
    },
  };
  if (kind === 'setter') return { has, set };
  return kind === 'field' || kind === 'accessor' ? { has, get, set } : { has, get };
}

function adder(extras: Function[], open: { readonly isOpen: boolean }) {
  return (initializer: unknown) => {
    if (!open.isOpen)
      throw new TypeError('An initializer can be added only while the decorator runs');
    if (!accept(initializer)) throw new TypeError('An initializer is a function');
    extras.push(initializer as Function);
  };
}

/** Checks a decorator's result, which must be a function or undefined. */
function accept(given: unknown): Function | undefined {
  if (given !== undefined && typeof given !== 'function')
    throw new TypeError('A decorator gives a function or nothing');
  return given;
}
