// Rewrites classes that have decorators, or fields to be assigned, to classes that the engine
// supports. A decorated class becomes
//   let A,{}=A=RUNTIME.classes.legacy("A",()=>[…its decorators],RECORD=>class { static{A=RECORD.start(this)} … });
// The decorators of an element become a static method at the same place, whose computed key passes
// them to the record. So order and line numbers are kept. The runtime is guest/parts/classes.ts.
import type {
  AnyNode,
  ClassDeclaration,
  ClassExpression,
  Expression,
  MethodDefinition,
  Pattern,
  Program,
  PropertyDefinition,
} from 'acorn';
import { applyEdits, Place, type Edit } from './edits.ts';
import { childNodes, CodeSyntaxError, isFunctionNode, lineOf, walk } from './parse.ts';
import { skipBlanks } from './serialize-type.ts';
import { runtimeName } from './runtime-name.ts';
import type { ProjectOptions } from './project-options.ts';
import {
  paramDecoratorName,
  type DanglingDecorators,
  type Decorated,
  type Decorator,
} from './decorator-parser.ts';
import type { ElementTypes } from './element-types.ts';

export type AnyClass = (ClassDeclaration | ClassExpression) &
  Decorated & { id: { name: string } | null };
export type Field = PropertyDefinition & Decorated;
export type Method = MethodDefinition & Decorated;

interface RewriteOptions extends ProjectOptions {
  /** The types from the source before stripping. Undefined if the source had none. */
  readonly types?: ElementTypes | undefined;
}

/** The prefix of fields that were only declared (compile-classes.ts). It is removed here. */
export const declaredName = `${runtimeName}D`;

const runtime = `${runtimeName}.classes`;

/**
 * Returns the rewritten code of a program that `parseDecorated` has parsed.
 *
 * @throws CodeSyntaxError if something can't be rewritten
 */
export function rewriteClasses(program: Program, code: string, options: RewriteOptions): string {
  const rewriter = new ClassesRewriter(code, options);
  rewriter.visit(program);
  return applyEdits(code, rewriter.edits);
}

/** True if {@link rewriteClasses} would change the program. */
export function hasRewrittenClass(program: Program, fields: ProjectOptions['fields']): boolean {
  let found = false;
  walk(program, (node) => {
    if (!isClass(node)) return !found;
    found ||= isRewritten(node) || (fields === 'assign' && node.body.body.some(isField));
    return !found;
  });
  return found;
}

export function isClass(node: AnyNode): node is AnyClass {
  return node.type === 'ClassDeclaration' || node.type === 'ClassExpression';
}

/** True if the class has a decorator or an `accessor` field. */
function isRewritten(node: AnyClass): boolean {
  return isDecoratedClass(node) || node.body.body.some((element) => 'isAccessor' in element);
}

function isDecoratedClass(node: AnyClass): boolean {
  return (
    decoratorsOf(node).length > 0 ||
    node.body.body.some(
      (element) =>
        decoratorsOf(element as Decorated).length > 0 ||
        (element.type === 'MethodDefinition' && splitParams(element).decorators.length > 0),
    )
  );
}

function isField(element: AnyNode): boolean {
  return element.type === 'PropertyDefinition' && !('isAccessor' in element);
}

export function decoratorsOf(node: Decorated): readonly Decorator[] {
  return node.decorators ?? [];
}

export interface ParamDecorator {
  readonly index: number;
  readonly expression: Expression;
}

export interface Params {
  readonly params: readonly Pattern[];
  readonly decorators: readonly ParamDecorator[];
  /** The source ranges of the decorators in the parameter list. */
  readonly ranges: readonly { readonly start: number; readonly end: number }[];
}

/** Separates a method's real parameters from those of its decorators. */
export function splitParams(method: MethodDefinition): Params {
  const params: Pattern[] = [];
  const decorators: ParamDecorator[] = [];
  const ranges: { start: number; end: number }[] = [];
  const all = method.value.params;
  all.forEach((param, at) => {
    const isDecorator =
      param.type === 'AssignmentPattern' &&
      param.left.type === 'Identifier' &&
      param.left.name.startsWith(paramDecoratorName);
    if (!isDecorator) {
      params.push(param);
      return;
    }
    decorators.push({ index: params.length, expression: param.right });
    ranges.push({ start: param.start, end: all[at + 1]?.start ?? param.end });
  });
  return { params, decorators, ranges };
}

/** The state that the elements of one class share. */
interface ClassState {
  readonly node: AnyClass;
  /** The parameter that holds the class's record. */
  readonly record: string;
  /** The number of decorated elements so far. The record identifies elements by it. */
  count: number;
  /** Code of functions that access private elements, passed to `start`. */
  readonly access: string[];
  /** Calls to add to the constructor, behind the assignments of its parameter properties. */
  readonly initializers: string[];
  /** The offset for the initializers, if the constructor has parameter properties. */
  readonly initializersAt: number | undefined;
}

class ClassesRewriter {
  readonly edits: Edit[] = [];
  readonly #code: string;
  readonly #options: RewriteOptions;
  readonly #isLegacy: boolean;
  #classes = 0;

  constructor(code: string, options: RewriteOptions) {
    this.#code = code;
    this.#options = options;
    this.#isLegacy = options.decorators === 'legacy';
  }

  visit(node: AnyNode, parent?: AnyNode): void {
    if (node.type === 'ExportDefaultDeclaration' || node.type === 'ExportNamedDeclaration') {
      const { declaration } = node;
      if (declaration && isClass(declaration) && isDecoratedClass(declaration)) {
        this.#class(declaration, node);
        return;
      }
    }
    if (isClass(node)) this.#class(node, parent);
    else {
      const owner = node.type === 'ParenthesizedExpression' ? parent : node;
      for (const child of childNodes(node)) this.visit(child, owner);
    }
  }

  #class(node: AnyClass, parent: AnyNode | undefined): void {
    const isDecorated = isDecoratedClass(node);
    this.#classes += 1;
    const state: ClassState = {
      node,
      record: `${runtimeName}C${this.#classes}`,
      count: 0,
      access: [],
      initializers: [],
      initializersAt: this.#initializersAt(node),
    };
    if (isDecorated) this.#refuseWaits(node);
    const ends = isDecorated ? this.#classHead(state, parent) : [];
    const bodyAt = node.body.start + 1;
    const bodyEdit = this.edits.length;
    for (const decorator of decoratorsOf(node)) this.visit(decorator.expression);
    if (node.superClass) this.visit(node.superClass);
    for (const element of node.body.body) this.#element(state, element as AnyNode & Decorated);
    if (isDecorated) {
      // The class's name inside its body. A decorator may replace its value.
      const self = node.id?.name;
      const access = state.access.length === 0 ? '' : `,{${state.access.join(',')}}`;
      const begin = this.#isLegacy ? '' : `#${state.record}=${state.record}.begin(this);`;
      const start = `static{${self ? `${self}=` : ''}${state.record}.start(this${access})}${begin}`;
      this.edits.splice(bodyEdit, 0, insertion(bodyAt, start));
    }
    if (state.initializersAt !== undefined && state.initializers.length > 0)
      this.edits.push(insertion(state.initializersAt, `;${state.initializers.join('')}`));
    this.edits.push(...ends);
  }

  /** Rewrites the code before the class body. Returns the edits behind the class. */
  #classHead({ node, record }: ClassState, parent: AnyNode | undefined): Edit[] {
    const name = node.id?.name;
    const isDeclaration = node.type === 'ClassDeclaration';
    const exported =
      parent?.type === 'ExportNamedDeclaration' || parent?.type === 'ExportDefaultDeclaration'
        ? parent
        : undefined;
    const isDefault = exported?.type === 'ExportDefaultDeclaration';
    const decorators = decoratorsOf(node);
    const first = decorators[0]?.start ?? node.start;
    const start = Math.min(exported?.start ?? node.start, first, node.start);
    const shown = name ?? (isDefault ? 'default' : inferredName(node, parent)) ?? '';
    const call = `${runtime}.${this.#options.decorators}(${JSON.stringify(shown)},${this.#isLegacy ? '()=>[' : '['}`;
    const declared = name === undefined ? '' : `let ${name},{}=${name}=`;
    const before = !isDeclaration
      ? name === undefined
        ? call
        : `(()=>{${declared}${call}`
      : name === undefined
        ? `export default ${call}`
        : `${exported && !isDefault ? 'export ' : ''}${declared}${call}`;
    this.edits.push(insertion(start, before));
    this.#decoratorList(decorators);
    if (exported) this.#blankWords(exported.start, node.start, decorators);
    this.edits.push(insertion(node.start, `],${record}=>`));
    if (node.id) {
      const id = node.id as AnyNode & { name: string };
      this.edits.push({ start: id.start, end: id.end, text: '' });
    }
    const after = !isDeclaration
      ? name === undefined
        ? ')'
        : `);return ${name}})()`
      : isDefault && name !== undefined
        ? `);export{${name} as default};`
        : ');';
    return [{ ...insertion(node.end, after), place: Place.endsExpression }];
  }

  /** Removes `export` and `default`, before or behind the decorators. */
  #blankWords(start: number, end: number, decorators: readonly Decorator[]): void {
    const word = /\/\/.*|\/\*[^]*?\*\/|\b(?:export|default)\b/gu;
    const isWithin = (at: number) => decorators.some((one) => at >= one.start && at < one.end);
    word.lastIndex = start;
    for (
      let found = word.exec(this.#code);
      found && found.index < end;
      found = word.exec(this.#code)
    )
      if (!found[0].startsWith('/') && !isWithin(found.index))
        this.edits.push({ start: found.index, end: word.lastIndex, text: '' });
  }

  /** Rewrites `@a @b(1)` to `a,b(1)` in place. */
  #decoratorList(decorators: readonly Decorator[]): void {
    decorators.forEach(({ start, expression }, index) => {
      this.edits.push({ start, end: expression.start, text: index === 0 ? '' : ',' });
      // `@a.b` must be called as a method of `a`.
      const called = unparenthesized(expression);
      if (this.#isLegacy || called.type !== 'MemberExpression' || called.computed) return;
      const { object, property } = called;
      const name = this.#code.slice(property.start, property.end);
      this.edits.push(insertion(called.start, `${runtime}.bound(`));
      this.edits.push({ start: object.end, end: property.end, text: `,${JSON.stringify(name)})` });
    });
  }

  #element(state: ClassState, element: AnyNode & Decorated): void {
    if ((element as unknown as DanglingDecorators).type === ('DanglingDecorators' as string))
      throw this.#errorAt(element, 'A decorator stands before what is only declared');
    if (element.type === 'MethodDefinition') this.#method(state, element);
    else if (element.type === 'PropertyDefinition') this.#field(state, element);
    else for (const child of childNodes(element)) this.visit(child, element);
  }

  #method(state: ClassState, method: Method): void {
    const decorators = decoratorsOf(method);
    const { decorators: ofParams, params, ranges } = splitParams(method);
    if (ofParams.length > 0 && !this.#isLegacy) throw this.#errorAt(method, noParamDecorators);
    const isConstructor = method.kind === 'constructor';
    if (isConstructor && decorators.length > 0)
      throw this.#errorAt(method, 'A constructor has no decorators: its class has');
    const isClassDecorated =
      isConstructor && (ofParams.length > 0 || decoratorsOf(state.node).length > 0);
    const more = [
      ...ofParams.map(({ index, expression }) => {
        const text = this.#code.slice(expression.start, expression.end);
        return `${runtime}.param(${index},${text})`;
      }),
      ...(this.#isLegacy && (decorators.length > 0 || ofParams.length > 0 || isClassDecorated)
        ? this.#metadata(state, method, params)
        : []),
    ];
    if (isConstructor && more.length > 0)
      this.edits.push(
        insertion(method.start, `;static[${state.record}.params(()=>[${more.join(',')}])](){}`),
      );
    else if (decorators.length > 0 || ofParams.length > 0) {
      const kind = { get: 'getter', set: 'setter', method: 'method', constructor: '' }[method.kind];
      if (method.key.type === 'PrivateIdentifier')
        throw this.#errorAt(
          method,
          'A private method can have no decorator here: decorate a public one',
        );
      this.#elementCall(state, method, kind, more);
    }
    ranges.forEach(({ start, end }, at) => {
      const { expression } = ofParams[at] as ParamDecorator;
      const lines =
        linesOf(this.#code, start, expression.start) + linesOf(this.#code, expression.end, end);
      this.edits.push({ start, end, text: lines });
    });
    this.#key(state, method);
    for (const param of params) this.visit(param, method);
    this.visit(method.value.body, method);
  }

  /** Adds `;static[RECORD.element("field",false,"x",()=>[…])](){}` where the decorators stand. */
  #elementCall(
    state: ClassState,
    element: Field | Method,
    kind: string,
    more: readonly string[],
  ): void {
    const decorators = decoratorsOf(element);
    const isAssigned = this.#isAssigned(element);
    const name = element.computed
      ? // A computed key reports itself when it is evaluated, unless the field is assigned.
        isAssigned
        ? `(${this.#code.slice(element.key.start, element.key.end)})`
        : 'void 0'
      : element.key.type === 'PrivateIdentifier'
        ? JSON.stringify(`#${element.key.name}`)
        : element.key.type === 'Identifier'
          ? JSON.stringify(element.key.name)
          : JSON.stringify(String((element.key as { value?: unknown }).value));
    const open = this.#isLegacy ? '()=>[' : '[';
    const call = `;static[${state.record}.element(${JSON.stringify(kind)},${element.static},${name},${open}`;
    const first = decorators[0];
    const last = decorators.at(-1);
    const rest = more.join(',');
    state.count += 1;
    if (!first || !last) {
      this.edits.push(insertion(element.start, `${call}${rest}])](){}`));
      return;
    }
    this.edits.push(insertion(first.start, call));
    this.#decoratorList(decorators);
    for (const decorator of decorators) this.visit(decorator.expression);
    const separator = rest === '' ? '' : ',';
    this.edits.push({
      ...insertion(last.end, `${separator}${rest}])](){}`),
      place: Place.endsStatement,
    });
  }

  /** Wraps the computed key of a decorated element, so it is evaluated once and recorded. */
  #key(state: ClassState, element: Field | Method): void {
    if (!element.computed) return;
    const isTold =
      decoratorsOf(element).length > 0 ||
      (element.type === 'MethodDefinition' && splitParams(element).decorators.length > 0);
    if (isTold) this.edits.push(insertion(element.key.start, `${state.record}.key(`));
    this.visit(element.key, element);
    if (isTold) this.edits.push(ending(element.key.end, ')'));
  }

  #field(state: ClassState, given: Field): void {
    const isDeclared = given.key.type === 'Identifier' && given.key.name.startsWith(declaredName);
    const field = isDeclared ? undeclared(given) : given;
    const decorators = decoratorsOf(field);
    const index = state.count;
    if (decorators.length > 0) {
      const kind = field.isAccessor ? 'accessor' : 'field';
      const more = this.#isLegacy ? (this.#options.types?.ofField(given) ?? []) : [];
      this.#elementCall(
        state,
        field,
        this.#isLegacy && !field.isAccessor ? 'property' : kind,
        more,
      );
    }
    if (isDeclared) {
      this.edits.push(this.#emptied(given));
      return;
    }
    const told = decorators.length > 0 && !this.#isLegacy ? index : undefined;
    if (field.isAccessor) this.#accessor(state, field, told);
    else this.#plainField(state, field, told);
  }

  /** True if the field is assigned in the constructor. A computed key must be evaluated once. */
  #isAssigned({ type, computed, key }: Field | Method): boolean {
    if (this.#options.fields !== 'assign' || type !== 'PropertyDefinition') return false;
    return !computed || /^(?:Identifier|Literal|MemberExpression)$/u.test(key.type);
  }

  #plainField(state: ClassState, field: Field, told: number | undefined): void {
    const { key, value, static: isStatic } = field;
    const isPrivate = key.type === 'PrivateIdentifier';
    const [open, close] =
      told === undefined ? ['', ''] : [`${state.record}.init(this,${told},`, ')'];
    if (told !== undefined && isPrivate) state.access.push(privateAccess(told, key.name));
    const isPrivateAssigned = isPrivate && !isStatic && state.initializersAt !== undefined;
    if (!this.#isAssigned(field) || (isPrivate && !isPrivateAssigned)) {
      this.#key(state, field);
      if (value) {
        if (open) this.edits.push(insertion(value.start, open));
        this.visit(value, field);
        if (close) this.edits.push(ending(value.end, close));
      } else if (told !== undefined)
        this.edits.push(ending(this.#keyEnd(field), `=${open}void 0${close}`));
      if (told !== undefined)
        this.edits.push(ending(field.end, `;${this.#extra(state, told, isStatic)}`));
      return;
    }
    if (!value && told === undefined) {
      if (isPrivate) return;
      this.edits.push(this.#emptied(field));
      return;
    }
    const keyText = this.#code.slice(key.start, key.end);
    const target =
      field.computed || key.type === 'Literal' ? `this[${keyText}]` : `this.${keyText}`;
    const unique = `#${runtimeName}F${field.start}`;
    const isLate = !isStatic && state.initializersAt !== undefined;
    if (isLate) state.initializers.push(`this.${unique}();`);
    const declared = isPrivate ? `${keyText};` : '';
    const [before, after] = isStatic
      ? [`static{${target}=${open}`, `${close}}`]
      : isLate
        ? [`${declared}${unique}(){${target}=${open}`, `${close}}`]
        : [`${unique}=(${target}=${open}`, `${close},void 0)`];
    this.#around(field, before, after);
    if (told === undefined) return;
    const extra = `#${state.record}E${told}`;
    if (isLate) state.initializers.push(`this.${extra}();`);
    const text = isLate
      ? `${extra}(){${state.record}.extra(this,${told})}`
      : this.#extra(state, told, isStatic);
    this.edits.push(ending(field.end, `;${text}`));
  }

  /** Rewrites `accessor x = 1` to `#s=1;get x(){return this.#s}set x(v){this.#s=v}`. */
  #accessor(state: ClassState, field: Field, told: number | undefined): void {
    const { key, static: isStatic, computed } = field;
    if (computed) throw this.#errorAt(field, 'An accessor needs a name that is no expression here');
    const keyText = this.#code.slice(key.start, key.end);
    if (told !== undefined && key.type === 'PrivateIdentifier')
      throw this.#errorAt(
        field,
        'A private accessor can have no decorator here: decorate a public one',
      );
    const storage = `#${runtimeName}F${field.start}`;
    const word = isStatic ? 'static ' : '';
    const [open, close] =
      told === undefined ? ['', ''] : [`${state.record}.init(this,${told},`, ')'];
    const before = `${word}${storage}=${open}`;
    const extra = told === undefined ? '' : this.#extra(state, told, isStatic);
    const after = `${close};${word}get ${keyText}(){return this.${storage}}${word}set ${keyText}(value){this.${storage}=value}${extra}`;
    this.#around(field, before, after);
  }

  /** Replaces a field by its value, or by `void 0`, between two texts. */
  #around(field: Field, before: string, after: string): void {
    const { value } = field;
    if (!value) {
      const { text, ...range } = this.#emptied(field);
      this.edits.push({ ...range, text: `${before}void 0${after}${text}` });
      return;
    }
    const { start } = field;
    const text = linesOf(this.#code, start, value.start) + before;
    this.edits.push({ start, end: value.start, text });
    this.visit(value, field);
    this.edits.push(ending(value.end, after));
  }

  /** Removes a field's code and keeps its line ends. */
  #emptied({ start, end }: Field): Edit {
    return { start, end, text: `;${linesOf(this.#code, start, end)}` };
  }

  /** Runs the initializers that decorators added to a field, once the field exists. */
  #extra({ record }: ClassState, told: number, isStatic: boolean): string {
    return isStatic
      ? `static{${record}.extra(this,${told})}`
      : `#${record}E${told}=${record}.extra(this,${told});`;
  }

  /** Returns the offset behind the key, including the bracket of a computed one. */
  #keyEnd({ key, computed }: Field): number {
    return computed ? skipBlanks(this.#code, key.end) + 1 : key.end;
  }

  #metadata(state: ClassState, method: Method, params: readonly Pattern[]): readonly string[] {
    return this.#options.types?.ofMethod(state.node, method, params) ?? [];
  }

  /** The offset behind the assignments of parameter properties, if fields are assigned. */
  #initializersAt(node: AnyClass): number | undefined {
    if (this.#options.fields !== 'assign') return undefined;
    const made = node.body.body.find(
      (element): element is MethodDefinition =>
        element.type === 'MethodDefinition' && element.kind === 'constructor',
    );
    if (!made) return undefined;
    const { params } = splitParams(made);
    const names = new Set(
      params
        .filter((param) => this.#options.types?.isProperty(param))
        .map((param) => nameOf(param)),
    );
    // The first assignment of each name was added by the type stripper.
    const assignments = made.value.body.body.filter(
      (statement) =>
        statement.type === 'ExpressionStatement' &&
        statement.expression.type === 'AssignmentExpression' &&
        statement.expression.left.type === 'MemberExpression' &&
        statement.expression.left.object.type === 'ThisExpression' &&
        statement.expression.right.type === 'Identifier' &&
        names.delete(statement.expression.right.name),
    );
    return assignments.at(-1)?.end;
  }

  /** These parts move into a synchronous function, so they can't contain `await` or `yield`. */
  #refuseWaits(node: AnyClass): void {
    const heads = [...decoratorsOf(node).map((one) => one.expression), node.superClass];
    for (const element of node.body.body) {
      heads.push(...decoratorsOf(element as Decorated).map((one) => one.expression));
      if ('computed' in element && element.computed) heads.push(element.key);
    }
    for (const head of heads) {
      if (!head) continue;
      walk(head, (inner) => {
        if (isFunctionNode(inner)) return false;
        if (inner.type === 'AwaitExpression' || inner.type === 'YieldExpression')
          throw this.#errorAt(
            inner,
            'A decorated class can wait for nothing: await it before the class',
          );
        return true;
      });
    }
  }

  #errorAt(node: AnyNode, message: string): CodeSyntaxError {
    const lineStart = this.#code.lastIndexOf('\n', node.start - 1) + 1;
    return new CodeSyntaxError(message, this.#code, lineOf(node), node.start - lineStart + 1);
  }
}

const noParamDecorators =
  'Only TypeScript’s decorators of before can stand at a parameter: set "experimentalDecorators": true in the tsconfig.json';

/** Returns the name that an anonymous class gets from what it is assigned to. */
function inferredName(node: AnyClass, parent: AnyNode | undefined): string | undefined {
  const isNode = (value: AnyNode | null | undefined) => !!value && unparenthesized(value) === node;
  if (parent?.type === 'VariableDeclarator' && isNode(parent.init)) return nameOf(parent.id);
  const isAssigned =
    parent?.type === 'AssignmentExpression' || parent?.type === 'AssignmentPattern';
  if (isAssigned && isNode(parent.right)) return nameOf(parent.left);
  if (parent?.type !== 'Property' && parent?.type !== 'PropertyDefinition') return undefined;
  return parent.key.type === 'Identifier' && !parent.computed ? parent.key.name : undefined;
}

function unparenthesized(node: AnyNode): AnyNode {
  return node.type === 'ParenthesizedExpression' ? unparenthesized(node.expression) : node;
}

function nameOf(pattern: AnyNode): string | undefined {
  if (pattern.type === 'AssignmentPattern') return nameOf(pattern.left);
  return pattern.type === 'Identifier' ? pattern.name : undefined;
}

function undeclared(field: Field): Field {
  if (field.key.type !== 'Identifier') return field;
  return { ...field, key: { ...field.key, name: field.key.name.slice(declaredName.length) } };
}

function privateAccess(index: number, name: string): string {
  return `${index}:{has:o=>#${name} in o,get:o=>o.#${name},set:(o,v)=>{o.#${name}=v}}`;
}

/** Returns the line ends of a range that is replaced. */
function linesOf(code: string, start: number, end: number): string {
  return code.slice(start, end).replace(/[^\n\r\u2028\u2029]+/gu, '');
}

function insertion(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

function ending(at: number, text: string): Edit {
  return { ...insertion(at, text), place: Place.endsExpression };
}
