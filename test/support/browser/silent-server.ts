// A path of the tests' own server that takes requests and never answers them.
import type { Plugin } from 'vite';

export function silentServer(): Plugin {
  return {
    name: 'silent-server',
    configureServer(server) {
      server.middlewares.use('/never-answers', () => {});
    },
  };
}
