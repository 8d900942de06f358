/** Names one session (I1). */
export interface SessionRef {
  readonly app: string;
  readonly user: string;
  readonly session: string;
}
