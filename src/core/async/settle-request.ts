/** Resolves with the result of a request of IndexedDB, also of one that is blocked for a while. */
export function settleRequest<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', (event) => {
      // Otherwise Firefox would also report the error to the page.
      event.preventDefault();
      reject(request.error ?? new TypeError('IndexedDB gave no reason.'));
    });
  });
}
