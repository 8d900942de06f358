/** JSON that a tool takes. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** A tool of the accuracy run: what the model is told, and what it does here. */
export interface LocalTool {
  readonly declaration: {
    readonly name: string;
    readonly description: string;
    readonly input_schema: object;
  };
  /** Answers in text, also what was wrong with the input. */
  run(input: ToolInput): string;
}

/** Something to do whose outcome can be checked. */
export interface Task {
  readonly prompt: string;
  /** What must stand after `ANSWER:` in the last text. */
  readonly answer: string;
  /** One way to do it; nothing says that the model must take it. */
  readonly way: readonly { readonly tool: string; readonly input: ToolInput }[];
}
