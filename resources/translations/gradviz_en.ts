<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>AlertChips</name>
    <message numerus="yes">
        <source>%Ln error(s)</source>
        <translation>
            <numerusform>%Ln error</numerusform>
            <numerusform>%Ln errors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln finding(s)</source>
        <translation>
            <numerusform>%Ln finding</numerusform>
            <numerusform>%Ln findings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>differs at %Ln step(s)</source>
        <translation>
            <numerusform>differs at %Ln step</numerusform>
            <numerusform>differs at %Ln steps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>NaN or Inf: %Ln step(s)</source>
        <translation>
            <numerusform>NaN or Inf: %Ln step</numerusform>
            <numerusform>NaN or Inf: %Ln steps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>isolated NaN or Inf: %Ln step(s)</source>
        <translation>
            <numerusform>isolated NaN or Inf: %Ln step</numerusform>
            <numerusform>isolated NaN or Inf: %Ln steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ComparePanel</name>
    <message numerus="yes">
        <source>%Ln step(s) differ</source>
        <translation>
            <numerusform>%Ln step differs</numerusform>
            <numerusform>%Ln steps differ</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln step(s) occur on only one side</source>
        <translation>
            <numerusform>%Ln step occurs on only one side</numerusform>
            <numerusform>%Ln steps occur on only one side</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DifferenceSummary</name>
    <message numerus="yes">
        <source>No differences: all %Ln step(s) are equal bit for bit.</source>
        <translation>
            <numerusform>No differences: the only step is equal bit for bit.</numerusform>
            <numerusform>No differences: all %Ln steps are equal bit for bit.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln of {0} step(s) differ, starting with step {1}.</source>
        <translation>
            <numerusform>%Ln of {0} steps differs: step {1}.</numerusform>
            <numerusform>%Ln of {0} steps differ, starting with step {1}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln of {0} value(s) differ here.</source>
        <translation>
            <numerusform>%Ln of {0} values differs here.</numerusform>
            <numerusform>%Ln of {0} values differ here.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FileDrop</name>
    <message numerus="yes">
        <source>Drop to open %Ln file(s), each in its own window</source>
        <translation>
            <numerusform>Drop to open %Ln file, each in its own window</numerusform>
            <numerusform>Drop to open %Ln files, each in its own window</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FindController</name>
    <message numerus="yes">
        <source>%Ln match(es)</source>
        <translation>
            <numerusform>%Ln match</numerusform>
            <numerusform>%Ln matches</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FindPanel</name>
    <message numerus="yes">
        <source>The values of %Ln tensor(s) were not recorded; they may match, too.</source>
        <translation>
            <numerusform>The values of %Ln tensor were not recorded; it may match, too.</numerusform>
            <numerusform>The values of %Ln tensors were not recorded; they may match, too.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>GraphToolbar</name>
    <message numerus="yes">
        <source>%Ln node(s)</source>
        <translation>
            <numerusform>%Ln node</numerusform>
            <numerusform>%Ln nodes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message numerus="yes">
        <source>History of {name}: %Ln version(s)</source>
        <translation>
            <numerusform>History of {name}: %Ln version</numerusform>
            <numerusform>History of {name}: %Ln versions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LibrarySearch</name>
    <message numerus="yes">
        <source>%Ln entry(s)</source>
        <translation>
            <numerusform>%Ln entry</numerusform>
            <numerusform>%Ln entries</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TraceFollower</name>
    <message numerus="yes">
        <source>The recording is complete: %Ln step(s).</source>
        <translation>
            <numerusform>The recording is complete: %Ln step.</numerusform>
            <numerusform>The recording is complete: %Ln steps.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Recording is in progress: %Ln step(s)</source>
        <translation>
            <numerusform>Recording is in progress: %Ln step</numerusform>
            <numerusform>Recording is in progress: %Ln steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TrainingPanel</name>
    <message numerus="yes">
        <source>%Ln pass(es)</source>
        <translation>
            <numerusform>%Ln pass</numerusform>
            <numerusform>%Ln passes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln update(s)</source>
        <translation>
            <numerusform>%Ln update</numerusform>
            <numerusform>%Ln updates</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>plural</name>
    <message numerus="yes">
        <source>{0}… (%Ln more character(s) in this line)</source>
        <translation>
            <numerusform>{0}… (%Ln more character in this line)</numerusform>
            <numerusform>{0}… (%Ln more characters in this line)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln element(s) are not valid. The first, {0}: {1}</source>
        <translation>
            <numerusform>%Ln element is not valid. The first, {0}: {1}</numerusform>
            <numerusform>%Ln elements are not valid. The first, {0}: {1}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln element(s) are rounded to {0}. {1}</source>
        <translation>
            <numerusform>%Ln element is rounded to {0}. {1}</numerusform>
            <numerusform>%Ln elements are rounded to {0}. {1}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{text} %Ln pair(s) are finished.</source>
        <translation>
            <numerusform>{text} %Ln pair is finished.</numerusform>
            <numerusform>{text} %Ln pairs are finished.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln evaluation(s) in {time}</source>
        <translation>
            <numerusform>%Ln evaluation in {time}</numerusform>
            <numerusform>%Ln evaluations in {time}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Executed %Ln time(s)</source>
        <translation>
            <numerusform>Executed %Ln time</numerusform>
            <numerusform>Executed %Ln times</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{value}: {count} element(s)</source>
        <translation>
            <numerusform>{value}: {count} element</numerusform>
            <numerusform>{value}: {count} elements</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>from {low} to {high}: {count} element(s)</source>
        <translation>
            <numerusform>from {low} to {high}: {count} element</numerusform>
            <numerusform>from {low} to {high}: {count} elements</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{line} · {count} zero(s)</source>
        <translation>
            <numerusform>{line} · {count} zero</numerusform>
            <numerusform>{line} · {count} zeros</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} element(s)</source>
        <translation>
            <numerusform>{count} element</numerusform>
            <numerusform>{count} elements</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>prints %Ln line(s)</source>
        <translation>
            <numerusform>prints %Ln line</numerusform>
            <numerusform>prints %Ln lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln step(s)</source>
        <translation>
            <numerusform>%Ln step</numerusform>
            <numerusform>%Ln steps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln tensor(s)</source>
        <translation>
            <numerusform>%Ln tensor</numerusform>
            <numerusform>%Ln tensors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>And %Ln more step(s)</source>
        <translation>
            <numerusform>And %Ln more step</numerusform>
            <numerusform>And %Ln more steps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{0} and %Ln more are not Python files (.py), notebooks (.ipynb), traces (.gradviz) or lessons (.gradviz-lesson).</source>
        <translation>
            <numerusform>{0} and %Ln more are not Python files (.py), notebooks (.ipynb), traces (.gradviz) or lessons (.gradviz-lesson).</numerusform>
            <numerusform>{0} and %Ln more are not Python files (.py), notebooks (.ipynb), traces (.gradviz) or lessons (.gradviz-lesson).</numerusform>
        </translation>
    </message>
</context>
</TS>
