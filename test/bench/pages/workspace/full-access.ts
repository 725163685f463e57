// What the bench's views may do: everything, as a person's own may.
import type { PathAccess } from 'rockpool/workspace';

export const fullAccess: PathAccess = {
  cwd: '/workspace',
  roots: ['/'],
  readOnlyRoots: [],
  rules: [],
  write: 'allow',
};
