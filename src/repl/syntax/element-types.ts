// Reads the types of a class's elements from the source, because the stripped code has none. They
// are emitted as the class's metadata, as by TypeScript's `emitDecoratorMetadata`. Also tells which
// constructor parameters are parameter properties.
import type { AnyNode, MethodDefinition, Pattern } from 'acorn';
import { CodeSyntaxError } from './parse.ts';
import { runtimeName } from './runtime-name.ts';
import type { ProjectOptions } from './project-options.ts';
import {
  decoratorsOf,
  splitParams,
  type AnyClass,
  type Field,
  type Method,
} from './rewrite-classes.ts';
import {
  annotationAt,
  endOfType,
  serializeType,
  skipBlanks,
  type TypeContext,
} from './serialize-type.ts';
import type { FindPlace } from './source-places.ts';

export interface ElementTypes {
  /** Returns metadata decorators as calls. Empty if the project doesn't ask for types. */
  ofField(field: Field): readonly string[];
  /** Same as `ofField`, for a method. The types of a constructor belong to its class. */
  ofMethod(owner: AnyClass, method: Method, params: readonly Pattern[]): readonly string[];
  /** True if the parameter has a modifier such as `private`. */
  isProperty(param: Pattern): boolean;
}

interface ElementTypesOptions {
  readonly source: string;
  /** The source without its types. */
  readonly code: string;
  readonly findPlace: FindPlace;
  readonly options: ProjectOptions;
  /** Called with each name that is needed as a value. */
  readonly onName: (name: string) => void;
}

export function createElementTypes({
  source,
  code,
  findPlace,
  options,
  onName,
}: ElementTypesOptions): ElementTypes {
  const context: TypeContext = { source, strictNullChecks: options.strictNullChecks, onName };

  /**
   * Returns the offset in the source of a token of the stripped code. Text that was stripped right
   * before the token maps to the same offset.
   */
  function placeOf(start: number, end: number): number {
    const text = code.slice(start, end);
    let place = findPlace(start);
    if (place !== undefined && source.startsWith(text, place)) return place;
    const annotation = place === undefined ? undefined : annotationAt(source, place);
    if (annotation !== undefined) place = endOfType(source, annotation);
    const found = place === undefined ? -1 : source.indexOf(text, place);
    if (found >= 0) return found;
    const line = code.slice(0, start).split('\n').length;
    throw new CodeSyntaxError(`The type of ${text} couldn't be read`, code, line, 1);
  }

  /** Returns the offset of the type annotation behind a token of the stripped code. */
  function annotationBehind(start: number, end: number): number | undefined {
    return annotationAt(source, placeOf(start, end) + end - start);
  }

  function typeBehind(start: number, end: number): string | undefined {
    const at = annotationBehind(start, end);
    return at === undefined ? undefined : serializeType(context, at);
  }

  function typeOfName(node: AnyNode): string | undefined {
    if (node.type === 'AssignmentPattern') return typeOfName(node.left);
    const isBracketed = node.type === 'ObjectPattern' || node.type === 'ArrayPattern';
    return typeBehind(isBracketed ? node.end - 1 : node.start, node.end);
  }

  function typeOfParam(param: Pattern): string {
    if (param.type !== 'RestElement') return typeOfName(param) ?? 'Object';
    const { argument } = param;
    const at = annotationBehind(argument.start, argument.end);
    return at === undefined ? 'Object' : serializeType(context, at, { ofElement: true });
  }

  function typeOfResult(method: MethodDefinition): string | undefined {
    const last = method.value.params.at(-1);
    let close = skipBlanks(code, last ? last.end : method.value.start + 1);
    if (code.charAt(close) === ',') close = skipBlanks(code, close + 1);
    return typeBehind(close, close + 1);
  }

  const metadata = (key: string, value: string) =>
    `${runtimeName}.classes.metadata("design:${key}",${value})`;
  const list = (params: readonly Pattern[]) => `[${params.map(typeOfParam).join(',')}]`;

  function accessorsOf(owner: AnyClass, method: Method): readonly Method[] {
    const nameOf = ({ key }: Method) => code.slice(key.start, key.end);
    return owner.body.body.filter(
      (element): element is Method =>
        element.type === 'MethodDefinition' &&
        (element.kind === 'get' || element.kind === 'set') &&
        element.static === method.static &&
        nameOf(element) === nameOf(method),
    );
  }

  return {
    ofField(field) {
      if (!options.emitsTypes) return [];
      const bracket = skipBlanks(code, field.key.end);
      const type = field.computed ? typeBehind(bracket, bracket + 1) : typeOfName(field.key);
      return [metadata('type', type ?? 'Object')];
    },
    ofMethod(owner, method, params) {
      if (!options.emitsTypes) return [];
      if (method.kind === 'constructor') {
        const isDecorated =
          decoratorsOf(owner).length > 0 || splitParams(method).decorators.length > 0;
        return isDecorated ? [metadata('paramtypes', list(params))] : [];
      }
      if (method.kind === 'method') {
        const isAsync = method.value.async && !method.value.generator;
        const result = typeOfResult(method) ?? (isAsync ? 'Promise' : 'void 0');
        return [
          metadata('type', 'Function'),
          metadata('paramtypes', list(params)),
          metadata('returntype', result),
        ];
      }
      const accessors = accessorsOf(owner, method);
      const getter = accessors.find((one) => one.kind === 'get');
      const setter = accessors.find((one) => one.kind === 'set');
      const taken = setter ? splitParams(setter).params : [];
      const [value] = taken;
      const type = (value && typeOfName(value)) ?? (getter && typeOfResult(getter)) ?? 'Object';
      return [metadata('type', type), metadata('paramtypes', list(taken))];
    },
    isProperty(param) {
      const { start, end } = param.type === 'AssignmentPattern' ? param.left : param;
      const place = placeOf(start, end);
      return /\b(?:public|private|protected|readonly|override)\s+$/u.test(
        source.slice(Math.max(0, place - 200), place),
      );
    },
  };
}
