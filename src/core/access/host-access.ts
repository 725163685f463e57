// Which hosts a call's own code may reach, as data that crosses to any realm. Made of the permission
// rules for each call (agent/permissions/host-rules.ts), and each request is judged by it where it is
// made (repl/host/network-hosts.ts).

/** Each entry is a host, `*.` and a host for all below it, or `*`; each may have a port behind it. */
export interface HostAccess {
  readonly hosts: readonly string[];
  /** Asked about for this very call and allowed: `asked` doesn't hold for them. */
  readonly granted?: readonly string[];
  /** A person would have to be asked, so code is refused. */
  readonly asked?: readonly string[];
  /** Refused, whatever allows them. */
  readonly denied?: readonly string[];
}
