import { CallFrame, defineView, toolViews, type ToolViews } from 'rockpool/react';
import * as z from 'zod';

const input = () => z.strictObject({ city: z.string() });
const output = () => z.strictObject({ city: z.string(), degrees: z.array(z.number()) });

/** An input that still streams has some of its fields; the output is there when the call is done. */
const view = defineView({ input, output }, ({ call }) => (
  <CallFrame call={call} title={`Weather in ${call.input.city ?? '…'}`}>
    {call.output && <p>{call.output.degrees.map((degree) => `${degree} °C`).join(', ')}</p>}
  </CallFrame>
));

/** For `Transcript` and `PermissionCard`: by the tool's name, loaded with its first call. */
export const views: ToolViews = { ...toolViews, Forecast: async () => ({ view }) };
