// This package's version, as `system/init` reports it. A test holds it against package.json.
export const VERSION = '0.1.0';
