// The page's policy refuses workers. A browser says so in an event, or by an address that means nothing to the app's
// author. An app that can do without a worker catches an error.

export function refuseWorkers(): void {
  for (const name of ['Worker', 'SharedWorker']) {
    const refuse = class {
      constructor(address: unknown) {
        const shown = String(address).slice(0, 200);
        throw new Error(
          `A preview has no workers, so ${shown} isn't run. Catch this error, and do its work in the page`,
        );
      }
    };
    Object.assign(window, { [name]: refuse });
  }
}
