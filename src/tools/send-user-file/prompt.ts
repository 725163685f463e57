// The description of SendUserFile for the model.

export const sendUserFileToolName = 'SendUserFile';

export const sendUserFileDescription =
  'Gives the user a file of the workspace: a report, a picture, an archive. They get it as it is now.';

export const sendUserFilePrompt =
  'SendUserFile hands the user what they asked to have as a file. It sends one file; of a directory make an archive first. Files that they can follow in the workspace anyway need not be sent.';
