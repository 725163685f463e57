// Reports the browser's own dialogs, which a sandboxed frame doesn't show: the calls return at
// once.
import type { Report } from './console.ts';

const answers = { alert: undefined, confirm: false, prompt: null, print: undefined } as const;

/** Reports each kind once and returns the browser's default. */
export function tellOfDialogs(report: Report): void {
  for (const [name, answer] of Object.entries(answers)) {
    let isTold = false;
    const ask = (message?: unknown) => {
      if (!isTold) {
        const shown = message === undefined ? '' : JSON.stringify(String(message));
        const told =
          answer === undefined ? 'showed nothing' : `returned ${answer}, and asked nobody`;
        report(
          'warn',
          `${name}(${shown}) ${told}: a preview has no dialogs of the browser's own. Show one of the page's, such as <dialog>.`,
        );
      }
      isTold = true;
      return answer;
    };
    Object.defineProperty(window, name, { value: ask, writable: true, configurable: true });
  }
}
