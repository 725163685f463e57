// The browser's own dialogs, which a sandboxed frame doesn't show: the calls return at once, as the model has said before.
import type { Report } from './console.ts';

interface DialogAnswer {
  readonly accept: boolean;
  readonly text?: string;
}

export interface DialogAnswers {
  /** How they are answered from now on. */
  set(answer: DialogAnswer): void;
}

/** Reports each call, or, where nobody has said how to answer, the first of each kind. */
export function answerDialogs(report: Report): DialogAnswers {
  let said: DialogAnswer | undefined;
  const toAnswers = {
    alert: () => undefined,
    print: () => undefined,
    confirm: () => said?.accept ?? false,
    prompt(initial: unknown) {
      if (!said?.accept) return null;
      return said.text ?? (initial === undefined ? '' : String(initial));
    },
  };
  for (const [name, toAnswer] of Object.entries(toAnswers)) {
    let isTold = false;
    const value = (message?: unknown, initial?: unknown) => {
      const answer = toAnswer(initial);
      const shown = message === undefined ? '' : JSON.stringify(String(message));
      const did = answer === undefined ? 'showed nothing' : `returned ${JSON.stringify(answer)}`;
      if (said) report('info', `${name}(${shown}) ${did}.`);
      else if (!isTold) {
        const why = "a preview has no dialogs of the browser's own.";
        const asked = answer === undefined ? '' : ', and asked nobody';
        const howTo = answer === undefined ? '' : ' Say by dialog how they answer.';
        report('warn', `${name}(${shown}) ${did}${asked}: ${why}${howTo}`);
        isTold = true;
      }
      return answer;
    };
    Object.defineProperty(window, name, { value, writable: true, configurable: true });
  }
  return { set: (answer) => (said = answer) };
}
