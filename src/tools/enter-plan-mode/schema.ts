// EnterPlanMode's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const enterPlanModeInputSchema = lazySchema(() => z.strictObject({}));

export type EnterPlanModeInput = z.output<ReturnType<typeof enterPlanModeInputSchema>>;

export const enterPlanModeOutputSchema = lazySchema(() => z.strictObject({ message: z.string() }));

export type EnterPlanModeOutput = z.output<ReturnType<typeof enterPlanModeOutputSchema>>;
