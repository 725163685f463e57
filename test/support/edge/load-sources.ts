// Imports all lazily imported modules before a test creates a Durable Object. The runner loads a module by I/O of the
// object that imports it first. If that object ends, all others that wait for the module hang. Test files share a
// realm, so only the first of them waits.
const realm = globalThis as { areSourcesLoaded?: boolean };

if (!realm.areSourcesLoaded) {
  await import('./all-sources.ts');
  realm.areSourcesLoaded = true;
}

export {};
