/** The file system as paths are read in it. */
export interface PathSurroundings {
  readonly platform: 'posix' | 'windows';
  /** False: `A` and `a` name one file, and so do composed and decomposed accents. */
  readonly isCaseSensitive: boolean;
  /** Absolute; relative paths start here. */
  readonly workspace: string;
  /** Absolute; `~` stands for it. */
  readonly home: string;
  /** What the symbolic link at `path` holds; `undefined` where there is none. Whatever it throws refuses the path. */
  readonly readLink: (path: string) => string | undefined;
}
