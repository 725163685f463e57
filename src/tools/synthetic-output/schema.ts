// SyntheticOutput's input and output: any object, until a query's schema takes its place.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const syntheticOutputInputSchema = lazySchema(() => z.looseObject({}));

export type SyntheticOutputInput = z.output<ReturnType<typeof syntheticOutputInputSchema>>;

export const syntheticOutputOutputSchema = lazySchema(() => z.looseObject({}));

export type SyntheticOutputOutput = z.output<ReturnType<typeof syntheticOutputOutputSchema>>;
