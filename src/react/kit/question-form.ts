// The contract of a form in a permission card: for tools whose question is answered with more than yes or no. A
// tool's view module exports it as `form`.
import type { ComponentType, ReactNode } from 'react';
import type { PermissionMode } from '../../core/permissions/permission.ts';

/** A yes, and what comes with it. */
export interface FormAnswer {
  /** What the call is to run with, in place of the input that was asked about. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** The permission mode that holds from now on. */
  readonly mode?: PermissionMode;
}

/** What a form of its own gets of the question that it asks. */
export interface QuestionFormProps {
  /** The input of the question: untrusted data. */
  readonly input: unknown;
  /** False: it is too new to be answered. */
  readonly isArmed: boolean;
  readonly onAnswer: (answer: FormAnswer) => void;
  /** The buttons that say no: they stand behind the one that answers. */
  readonly children: ReactNode;
}

/** How a person answers, and how they don't. */
export interface QuestionForm {
  /** What is asked about, and below it `rp-permission-actions` with the button that answers and the children. */
  readonly Body: ComponentType<QuestionFormProps>;
  /** On the button that says no. */
  readonly no: string;
  /** On the one that says no with words. */
  readonly noWithWords: string;
  /** What the words should say. */
  readonly words: string;
}
