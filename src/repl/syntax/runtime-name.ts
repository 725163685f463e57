/**
 * The name of the parameter through which rewritten code reaches the cell runtime or its module's
 * record.
 */
export const runtimeName = '__rockpool';
