// `this.utils` for matchers that a program adds, without colours.
import type { Kernel } from '../kernel-type.ts';

interface HintOptions {
  readonly isNot?: boolean;
  readonly promise?: string;
  readonly comment?: string;
  readonly secondArgument?: string;
}

export function matcherUtils(kernel: Kernel, show: (value: unknown) => string) {
  const plain = (text: unknown) => String(text);
  return {
    stringify: show,
    printReceived: show,
    printExpected: show,
    printWithType: (name: string, value: unknown, print: (value: unknown) => string) =>
      name + ' has type:  ' + typeof value + '\n' + name + ' has value: ' + print(value),
    diff: (expected: unknown, received: unknown) =>
      kernel.diffText(
        typeof expected === 'string' ? expected : show(expected),
        typeof received === 'string' ? received : show(received),
      ),
    matcherHint(
      name: string,
      received = 'received',
      expected = 'expected',
      options: HintOptions = {},
    ) {
      const { isNot, promise, comment, secondArgument } = options;
      return (
        'expect(' +
        received +
        ')' +
        (promise ? '.' + promise : '') +
        (isNot ? '.not' : '') +
        (name.startsWith('.') ? name : '.' + name) +
        '(' +
        expected +
        (secondArgument ? ', ' + secondArgument : '') +
        ')' +
        (comment ? ' // ' + comment : '')
      );
    },
    EXPECTED_COLOR: plain,
    RECEIVED_COLOR: plain,
    BOLD_WEIGHT: plain,
    DIM_COLOR: plain,
    INVERTED_COLOR: plain,
  };
}
