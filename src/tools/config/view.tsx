// The view of Config: the setting, its value, and its value before.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { configInputSchema, configOutputSchema } from './schema.ts';
import type { ConfigInput, ConfigOutput } from './schema.ts';

export const view = defineView(
  { input: configInputSchema, output: configOutputSchema },
  ConfigView,
);

function ConfigView({ call }: { readonly call: ParsedCall<ConfigInput, ConfigOutput> }) {
  const { input, output, state } = call;
  const isSet = input.value !== undefined;
  const title = isSet ? wordFor(state, 'Setting', 'Set') : wordFor(state, 'Looking at', 'Setting');
  return (
    <CallFrame
      call={call}
      title={title}
      detail={input.setting !== undefined && <code>{input.setting}</code>}
      meta={output?.operation === 'get' ? (output.value ?? 'not set') : undefined}
      isOpen={isSet}
    >
      {isSet && (
        <p className="rp-note">
          {output?.operation === 'set' ? (
            <>
              {output.previousValue ?? 'not set'} → {output.newValue}
            </>
          ) : (
            <>To be {input.value}</>
          )}
        </p>
      )}
      {output?.operation === 'get' && output.choices && (
        <p className="rp-note">It may be {output.choices.join(', ')}.</p>
      )}
    </CallFrame>
  );
}
