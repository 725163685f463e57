// Defines a tool's view: a component over one call. `defineView` parses the call's untrusted data,
// so that a view gets only its schema's types.
import { memo } from 'react';
import type { ComponentType } from 'react';
import type { ViewedCall } from '../../core/tool/call-state.ts';
import { PlainCall } from './plain-call.tsx';
import type { QuestionForm } from './question-form.ts';

/** All that a view gets. It knows neither the session nor the tool. */
export interface ToolViewProps {
  readonly call: ViewedCall;
}

/** A component that shows any call of one tool, in each of its states. */
export type ToolView = ComponentType<ToolViewProps>;

/** How one tool's calls are shown, and how its questions are answered. */
export interface ToolViewModule {
  readonly view: ToolView;
  /** The form of the tool's questions. Left out: yes or no. */
  readonly form?: QuestionForm;
  /** What a person may change before they say yes. Left out: nothing. */
  readonly editable?: EditableText;
}

/** A text of a call's input. */
export interface EditableText {
  /** The input's field. */
  readonly field: string;
  /** What the field is called: "The new text". */
  readonly label: string;
  /** False: a change of the text would have no effect. Left out: it always has one. */
  readonly hasEffect?: (input: Readonly<Record<string, unknown>>) => boolean;
}

/** The views by tool name. Each is loaded on first use. */
export type ToolViews = Readonly<Record<string, () => Promise<ToolViewModule>>>;

/** The part of a zod schema that is needed here. Any parser of this shape will do. */
interface Parser<T> {
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: T } | { readonly success: false };
}

/** The schemas that read the call's untrusted data, built on first use. */
export interface ViewSchemas<Input, Output> {
  /**
   * Read field by field: an input that still streams has some of its fields. A field with a wrong
   * value is left out.
   */
  readonly input: () => { readonly shape: { readonly [K in keyof Input]-?: Parser<Input[K]> } };
  readonly output: () => Parser<Output>;
}

/**
 * A call whose data has been parsed. `output` is there in `output-available`, and in `output-error`
 * and `output-stopped` where the tool reports its end as data.
 */
export type ParsedCall<Input, Output> = ViewedCall<Partial<Input>, Output | undefined>;

/**
 * A tool's view from its schemas and a component. A finished call whose output doesn't fit the
 * schema (an older journal, a remote session) is shown plainly instead.
 */
export function defineView<Input, Output>(
  schemas: ViewSchemas<Input, Output>,
  Component: ComponentType<{ readonly call: ParsedCall<Input, Output> }>,
): ToolView {
  return memo(function View({ call }: ToolViewProps) {
    const input = parseFields(schemas.input().shape, call.input);
    const isDone = call.state === 'output-available';
    const mayHaveOutput = call.state === 'output-error' || call.state === 'output-stopped';
    if (!isDone && (!mayHaveOutput || call.output === undefined)) {
      return <Component call={{ ...call, input, output: undefined }} />;
    }
    const output = schemas.output().safeParse(call.output);
    if (isDone && !output.success) return <PlainCall call={call} />;
    return (
      <Component call={{ ...call, input, output: output.success ? output.data : undefined }} />
    );
  });
}

function parseFields<Input>(
  shape: { readonly [K in keyof Input]-?: Parser<Input[K]> },
  value: unknown,
): Partial<Input> {
  const fields: Partial<Input> = {};
  if (typeof value !== 'object' || value === null) return fields;
  const given = value as Readonly<Record<string, unknown>>;
  for (const key in shape) {
    if (!Object.hasOwn(given, key)) continue;
    const parsed = shape[key].safeParse(given[key]);
    if (parsed.success) fields[key] = parsed.data;
  }
  return fields;
}
