// Renders one call in each of its states, as a page would see it.
import { renderToStaticMarkup } from 'react-dom/server';
import { callStates } from '../support/stages/call-states.ts';
import type { CallState, ViewedCall } from '../../src/core/tool/call-state.ts';
import { QuestionContext } from '../../src/react/kit/call-frame.tsx';
import type { ToolView } from '../../src/react/kit/define-view.tsx';
import { OpenFileContext } from '../../src/react/kit/file-link.tsx';

export interface CallExample {
  readonly toolName: string;
  readonly input: unknown;
  /** As far as it has come while it streams. */
  readonly streamingInput: unknown;
  readonly output: unknown;
  readonly progress?: readonly unknown[];
  readonly failure: string;
  /** Further answers, by what is special about them. */
  readonly variants?: Readonly<Record<string, Partial<Pick<CallExample, 'input' | 'output'>>>>;
}

export function callIn(state: CallState, example: CallExample): ViewedCall {
  const isEnd = state.startsWith('output-');
  return {
    toolName: example.toolName,
    state,
    input: state === 'input-streaming' ? example.streamingInput : example.input,
    output: state === 'output-available' ? example.output : undefined,
    progress: isEnd || state === 'input-available' ? (example.progress ?? []) : [],
    droppedProgress: 0,
    task: null,
    resultText: isEnd && state !== 'output-available' ? example.failure : '',
    elapsedSeconds: state === 'input-available' ? 3.4 : 0,
  };
}

/** With its body unfolded, as within a question: folded away it isn't rendered. */
export function renderCall(View: ToolView, call: ViewedCall): string {
  const markup = renderToStaticMarkup(
    <OpenFileContext value={{ cwd: '/workspace', open: () => {} }}>
      <QuestionContext value={true}>
        <View call={call} />
      </QuestionContext>
    </OpenFileContext>,
  );
  // One element a line: a snapshot is read by people.
  return markup.replaceAll('><', '>\n<');
}

/** The call in each state, and the answer of each variant. */
export function renderStates(View: ToolView, example: CallExample): [string, string][] {
  const variants = Object.entries(example.variants ?? {});
  return [
    ...callStates.map((state): [string, string] => [
      state,
      renderCall(View, callIn(state, example)),
    ]),
    ...variants.map(([name, variant]): [string, string] => [
      name,
      renderCall(View, callIn('output-available', { ...example, ...variant })),
    ]),
  ];
}
