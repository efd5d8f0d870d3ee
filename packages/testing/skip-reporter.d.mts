/** The members of Jest's results that the summary reads. */
interface FileResult {
  testFilePath: string;
  testResults: { status: string; fullName: string }[];
}
export function summary(files: FileResult[], options: { filtered: boolean }): string[];
