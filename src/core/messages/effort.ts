// How much work a model puts into a reply. It is an option of the model; hooks and messages report it.

/** The names of the Messages API (`output_config`) and of the Claude Agent SDK, from little to much. */
export const effortLevels = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** One of {@link effortLevels}. */
export type EffortLevel = (typeof effortLevels)[number];

export function isEffortLevel(value: unknown): value is EffortLevel {
  return effortLevels.some((level) => level === value);
}
