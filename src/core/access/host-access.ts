// The hosts that a call's code may reach, as plain data for any realm. agent/permissions/host-rules.ts compiles
// it from the rules for each call, and network-hosts.ts judges each request by it.

/** Each entry is a host, `*.` and a host for all below it, or `*`; each may have a port behind it. */
export interface HostAccess {
  readonly hosts: readonly string[];
  /** A person allowed them for this call. `asked` doesn't apply to them, nor to the next. */
  readonly granted?: readonly string[];
  /**
   * A hook or the classifier allowed them. Only public hosts count, as neither may open the own
   * network.
   */
  readonly grantedPublic?: readonly string[];
  /** A person would have to be asked, so code is refused. */
  readonly asked?: readonly string[];
  /** Refused, whatever allows them. */
  readonly denied?: readonly string[];
  /** A person's own requests: every host, private ones too. */
  readonly isOpen?: true;
}
