// The contract of a form in a permission card: for tools whose question is answered with more than yes or no. A
// tool's view module exports it as `form`.
import type { ComponentType, ReactNode } from 'react';
import type { FormAnswer } from '../permission-queue.ts';

/** The props of a tool's own form. */
export interface QuestionFormProps {
  /** The input of the question: untrusted data. */
  readonly input: unknown;
  /** False: the question is too new to be answered. */
  readonly isArmed: boolean;
  /** True: an answer with another input or a mode would be refused, so the form offers neither. */
  readonly asAsked: boolean;
  readonly onAnswer: (answer: FormAnswer) => void;
  /** The buttons that say no. They come after the button that answers. */
  readonly children: ReactNode;
}

/** How a person answers a question, and how they refuse. */
export interface QuestionForm {
  /**
   * Shows the question, and below it `rp-permission-actions` with the button that answers and the
   * children.
   */
  readonly Body: ComponentType<QuestionFormProps>;
  /** The text of the button that says no. */
  readonly no: string;
  /** The text of the button that says no with words. */
  readonly noWithWords: string;
  /** What the person's words should say. */
  readonly words: string;
}
