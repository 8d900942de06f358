/** What shows a requirement: a test, or a row of a bench where it is a rule of speed. */
export type Proof =
  /** `test`: the test's name or its beginning; what a `describe` around it adds is not part of it. */
  | { readonly file: string; readonly test: string }
  /** `row`: a text that stands in the bench's source. */
  | { readonly bench: string; readonly row: string };

/** One rule, or row of a table, of the specification. Files are named from the root of the repository. */
export type Requirement =
  | { readonly id: string; readonly shownBy: readonly Proof[] }
  /** `open`: what delivers it and, where that helps, what it waits for. */
  | { readonly id: string; readonly open: string };

/** The requirements of one page of the specification. */
export interface RequirementPage {
  /** The page's file name without its extension. */
  readonly page: string;
  /** In the order of the page. */
  readonly requirements: readonly Requirement[];
}
