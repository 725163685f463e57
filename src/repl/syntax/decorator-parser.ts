// Extends acorn by decorators and `accessor` fields, which it doesn't support. The code has no
// types at this point.
import { Parser, TokenType, tokTypes, type AnyNode, type Program } from 'acorn';
import { runtimeName } from './runtime-name.ts';

export interface Decorator {
  readonly type: 'Decorator';
  readonly start: number;
  readonly end: number;
  readonly expression: AnyNode;
}

/** What the parser adds to the nodes of classes and of their elements. */
export interface Decorated {
  readonly decorators?: readonly Decorator[];
  /**
   * True for `accessor x = 1`. The element begins at the word `accessor`, or at a `static` before
   * it.
   */
  readonly isAccessor?: true;
}

/**
 * Decorators of an element that TypeScript only declares, as in `@Column() declare name: string`.
 */
export interface DanglingDecorators extends Decorated {
  readonly type: 'DanglingDecorators';
  readonly start: number;
  readonly end: number;
}

/**
 * The prefix of parameters that stand for decorators of the following parameter
 * (param-decorators.ts).
 */
export const paramDecoratorName = `${runtimeName}P`;

interface OpenNode {
  type: string;
  start: number;
  decorators?: Decorator[];
  isAccessor?: true;
  static?: boolean;
  declaration?: OpenNode;
}

/** Members of acorn's parser that plugins override or call. Its type declarations lack them. */
interface PluginParser {
  readonly input: string;
  readonly start: number;
  readonly pos: number;
  readonly type: TokenType;
  next(): void;
  eat(type: TokenType): boolean;
  unexpected(): never;
  raise(at: number, message: string): never;
  startNode(): OpenNode;
  startNodeAt(start: number, loc: unknown): OpenNode;
  readonly startLoc: unknown;
  finishNode<Node>(node: Node, type: string): Node;
  finishOp(type: TokenType, size: number): void;
  parseIdent(liberal: boolean): OpenNode;
  parseParenAndDistinguishExpression(canBeArrow: boolean): OpenNode;
  parseExprList(close: TokenType, allowTrailingComma: boolean): OpenNode[];
  getTokenFromCode(code: number): unknown;
  parseStatement(...rest: unknown[]): OpenNode;
  parseExprAtom(...rest: unknown[]): OpenNode;
  parseClassElement(...rest: unknown[]): OpenNode | null;
  parseExportDefaultDeclaration(...rest: unknown[]): OpenNode;
  shouldParseExportStatement(): boolean;
}

const at = new (TokenType as unknown as new (label: string) => TokenType)('@');
// Matches only if the element's name follows on the same line.
const accessor = /(static\s+)?accessor[^\S\n\r\u2028\u2029]+(?=[^\s=;(},:])/uy;

const Base = Parser as unknown as new (
  options: object,
  input: string,
) => PluginParser & { parse(): Program };

class DecoratorParser extends Base {
  /** What is parsed here is parsed once more, by parse.ts, when its classes are rewritten. */
  checkLocalExport(): void {}

  override getTokenFromCode(code: number): unknown {
    return code === 64 ? this.finishOp(at, 1) : super.getTokenFromCode(code);
  }

  override shouldParseExportStatement(): boolean {
    return this.type === at || super.shouldParseExportStatement();
  }

  override parseStatement(...rest: unknown[]): OpenNode {
    const decorators = this.#decorators();
    const node = super.parseStatement(...rest);
    if (decorators.length === 0) return node;
    const owner = node.type.startsWith('Export') ? node.declaration : node;
    if (owner?.type !== 'ClassDeclaration') this.#refuse(decorators);
    owner.decorators = [...decorators, ...(owner.decorators ?? [])];
    return node;
  }

  override parseExportDefaultDeclaration(...rest: unknown[]): OpenNode {
    return this.#parseDecorated('ClassDeclaration', () =>
      super.parseExportDefaultDeclaration(...rest),
    );
  }

  override parseExprAtom(...rest: unknown[]): OpenNode {
    return this.#parseDecorated('ClassExpression', () => super.parseExprAtom(...rest));
  }

  /** Decorators before a node may only stand before one of this type. */
  #parseDecorated(type: string, parse: () => OpenNode): OpenNode {
    const decorators = this.#decorators();
    const node = parse();
    if (decorators.length === 0) return node;
    if (node.type !== type) this.#refuse(decorators);
    node.decorators = decorators;
    return node;
  }

  override parseClassElement(...rest: unknown[]): OpenNode | null {
    const decorators = this.#decorators();
    if (decorators.length > 0 && (this.type === tokTypes.semi || this.type === tokTypes.braceR)) {
      const dangling = this.startNode();
      dangling.start = decorators[0]?.start ?? dangling.start;
      dangling.decorators = decorators;
      this.eat(tokTypes.semi);
      return this.finishNode(dangling, 'DanglingDecorators');
    }
    const { start } = this;
    accessor.lastIndex = start;
    const isStatic = accessor.exec(this.input)?.[1] !== undefined;
    const isAccessor = accessor.lastIndex > 0;
    if (isStatic) this.next();
    if (isAccessor) this.next();
    const element = super.parseClassElement(...rest);
    if (element && isAccessor) {
      if (element.type !== 'PropertyDefinition')
        this.raise(start, 'Only a field can be an accessor');
      Object.assign(element, { start, isAccessor, static: isStatic });
    }
    if (decorators.length === 0) return element;
    const isDecorable =
      element?.type === 'PropertyDefinition' || element?.type === 'MethodDefinition';
    if (!isDecorable) this.#refuse(decorators);
    element.decorators = decorators;
    return element;
  }

  #decorators(): Decorator[] {
    const found: Decorator[] = [];
    while (this.type === at) {
      const node = this.startNode();
      this.next();
      const expression = this.#expression();
      found.push(this.finishNode({ ...node, expression }, 'Decorator') as unknown as Decorator);
    }
    return found;
  }

  /**
   * Parses a decorator's expression: `a.b.c`, such a name with arguments, or anything in
   * parentheses.
   */
  #expression(): OpenNode {
    if (this.type === tokTypes.parenL) return this.parseParenAndDistinguishExpression(false);
    const { start, startLoc } = this;
    let expression = this.parseIdent(false);
    while (this.eat(tokTypes.dot)) {
      const node = this.startNodeAt(start, startLoc);
      const property = this.parseIdent(true);
      const member = { object: expression, property, computed: false, optional: false };
      expression = this.finishNode(Object.assign(node, member), 'MemberExpression');
    }
    if (!this.eat(tokTypes.parenL)) return expression;
    const node = this.startNodeAt(start, startLoc);
    const call = {
      callee: expression,
      arguments: this.parseExprList(tokTypes.parenR, true),
      optional: false,
    };
    return this.finishNode(Object.assign(node, call), 'CallExpression');
  }

  #refuse([first]: readonly Decorator[]): never {
    this.raise(first?.start ?? 0, 'A decorator stands before a class or an element of a class');
  }
}

/**
 * Parses like acorn's `parse`, but keeps parentheses as nodes, because rewritten code goes inside
 * them. @throws what acorn throws
 */
export function parseDecorated(code: string, options: object): Program {
  return new DecoratorParser({ ...options, preserveParens: true }, code).parse();
}
