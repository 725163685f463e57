// Errors about invalid arguments, with Node's codes and messages. Programs check them, and models
// know them.
import type { Kernel } from './kernel-type.ts';

/** Adds invalidType and outOfRange to the kernel. */
export function addArguments(kernel: Kernel) {
  const coded: Kernel['coded'] = (Kind, code, message) => {
    const failure = new Kind(message);
    failure.code = code;
    return failure;
  };
  function received(value) {
    if (value === undefined || value === null) return String(value);
    if (typeof value === 'function') return 'function ' + value.name;
    if (typeof value === 'object') {
      const name = value.constructor?.name;
      return name ? 'an instance of ' + name : kernel.inspect(value, { depth: -1 });
    }
    const shown = kernel.inspect(value);
    return (
      'type ' + typeof value + ' (' + (shown.length > 28 ? shown.slice(0, 25) + '...' : shown) + ')'
    );
  }
  kernel.coded = coded;
  /** `wanted` continues the phrase "must be". */
  kernel.invalidType = (name, wanted, value) =>
    coded(
      TypeError,
      'ERR_INVALID_ARG_TYPE',
      (name.endsWith(' argument') ? 'The ' + name : 'The "' + name + '" argument') +
        ' must be ' +
        wanted +
        '. Received ' +
        received(value),
    );
  kernel.outOfRange = (name, range, value) =>
    coded(
      RangeError,
      'ERR_OUT_OF_RANGE',
      'The value of "' +
        name +
        '" is out of range. It must be ' +
        range +
        '. Received ' +
        (typeof value === 'bigint' ? value + 'n' : String(value)),
    );
}
