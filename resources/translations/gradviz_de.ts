<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>About</name>
    <message>
        <source>not installed</source>
        <translation>nicht installiert</translation>
    </message>
</context>
<context>
    <name>AboutDialog</name>
    <message>
        <source>About gradviz</source>
        <translation>Über gradviz</translation>
    </message>
    <message>
        <source>Makes PyTorch&apos;s autograd visible, step by step. Runs entirely on this machine.</source>
        <translation>Macht PyTorchs autograd Schritt für Schritt sichtbar. Läuft ganz auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>Versionen</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>&amp;New Window</source>
        <translation>&amp;Neues Fenster</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>Ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>Open in New &amp;Window…</source>
        <translation>In neuem F&amp;enster öffnen…</translation>
    </message>
    <message>
        <source>&amp;Save Trace As…</source>
        <translation>Trace &amp;speichern unter…</translation>
    </message>
    <message>
        <source>Export Run as &amp;HTML Page…</source>
        <translation>Lauf als &amp;HTML-Seite exportieren…</translation>
    </message>
    <message>
        <source>Export &amp;Graph as SVG, PDF, PNG or DOT…</source>
        <translation>&amp;Graph als SVG, PDF, PNG oder DOT exportieren…</translation>
    </message>
    <message>
        <source>Export &amp;Film as MP4 or GIF…</source>
        <translation>&amp;Film als MP4 oder GIF exportieren…</translation>
    </message>
    <message>
        <source>Export T&amp;ensors as NPZ or safetensors…</source>
        <translation>&amp;Tensoren als NPZ oder safetensors exportieren…</translation>
    </message>
    <message>
        <source>Se&amp;ttings…</source>
        <translation>E&amp;instellungen…</translation>
    </message>
    <message>
        <source>&amp;Close Window</source>
        <translation>Fenster s&amp;chließen</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;About gradviz</source>
        <translation>Ü&amp;ber gradviz</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Ausführen</translation>
    </message>
    <message>
        <source>Run as Scrip&amp;t…</source>
        <translation>Als S&amp;kript ausführen…</translation>
    </message>
    <message>
        <source>Sto&amp;p</source>
        <translation>An&amp;halten</translation>
    </message>
    <message>
        <source>Run Again When File Is &amp;Saved</source>
        <translation>Beim &amp;Speichern der Datei neu ausführen</translation>
    </message>
    <message>
        <source>Record &amp;Lines and Run Again</source>
        <translation>Ze&amp;ilen aufzeichnen und neu ausführen</translation>
    </message>
    <message>
        <source>Record &amp;Nodes Only</source>
        <translation>Nur Kn&amp;oten aufzeichnen</translation>
    </message>
    <message>
        <source>Record Nodes and &amp;Ops</source>
        <translation>Knoten und O&amp;ps aufzeichnen</translation>
    </message>
    <message>
        <source>Record Nodes and Source L&amp;ines</source>
        <translation>Knoten und &amp;Quelltextzeilen aufzeichnen</translation>
    </message>
    <message>
        <source>Record Nodes, Ops and So&amp;urce Lines</source>
        <translation>Knoten, Ops und Que&amp;lltextzeilen aufzeichnen</translation>
    </message>
    <message>
        <source>Node &amp;Details</source>
        <translation>Knoten&amp;details</translation>
    </message>
    <message>
        <source>Le&amp;gend</source>
        <translation>Le&amp;gende</translation>
    </message>
    <message>
        <source>&amp;Animate Steps</source>
        <translation>Schritte &amp;animieren</translation>
    </message>
    <message>
        <source>&amp;Find…</source>
        <translation>&amp;Suchen…</translation>
    </message>
    <message>
        <source>Find &amp;Next</source>
        <translation>&amp;Nächster Treffer</translation>
    </message>
    <message>
        <source>Find &amp;Previous</source>
        <translation>&amp;Voriger Treffer</translation>
    </message>
    <message>
        <source>Find Ori&amp;gin</source>
        <translation>Urs&amp;prung suchen</translation>
    </message>
    <message>
        <source>Find Origin of Its NaN or &amp;Inf</source>
        <translation>Ursprung von NaN oder &amp;Inf suchen</translation>
    </message>
    <message>
        <source>&amp;History of Pinned Tensor</source>
        <translation>Ver&amp;lauf des angehefteten Tensors</translation>
    </message>
    <message>
        <source>&amp;Command Palette…</source>
        <translation>Befehls&amp;palette…</translation>
    </message>
    <message>
        <source>&amp;Keyboard Shortcuts…</source>
        <translation>&amp;Tastenkürzel…</translation>
    </message>
    <message>
        <source>&amp;Guide</source>
        <translation>&amp;Leitfaden</translation>
    </message>
    <message>
        <source>Run &amp;With Changes</source>
        <translation>&amp;Mit Änderungen ausführen</translation>
    </message>
    <message>
        <source>&amp;Back to Original Run</source>
        <translation>&amp;Zurück zum ursprünglichen Lauf</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Next &amp;Difference</source>
        <translation>Nächster &amp;Unterschied</translation>
    </message>
    <message>
        <source>&amp;Mark Differences in Graph</source>
        <translation>Unterschiede im &amp;Graphen markieren</translation>
    </message>
    <message>
        <source>Compare Wit&amp;h…</source>
        <translation>&amp;Vergleichen mit…</translation>
    </message>
    <message>
        <source>Ne&amp;xt Difference in Compare</source>
        <translation>&amp;Nächster Unterschied im Vergleich</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Pre&amp;vious Difference in Compare</source>
        <translation>Vo&amp;riger Unterschied im Vergleich</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Mark in Graph</source>
        <translation>Im Graphen markieren</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>Rese&amp;t Inputs</source>
        <translation>Ein&amp;gaben zurücksetzen</translation>
    </message>
    <message>
        <source>Copy &amp;Link to This Step</source>
        <translation>Lin&amp;k zu diesem Schritt kopieren</translation>
    </message>
    <message>
        <source>Edit &amp;Source</source>
        <translation>Quellte&amp;xt bearbeiten</translation>
    </message>
    <message>
        <source>Open Source in &amp;Editor</source>
        <translation>Quelltext im &amp;Editor öffnen</translation>
    </message>
    <message>
        <source>Go to the Step That &amp;Made It</source>
        <translation>Zum &amp;erzeugenden Schritt</translation>
    </message>
    <message>
        <source>Go to the Step That &amp;Executes It</source>
        <translation>Zum ausfüh&amp;renden Schritt</translation>
    </message>
    <message>
        <source>Go to the Step That Made Its &amp;Gradient</source>
        <translation>Zum Schritt, der seinen &amp;Gradienten erzeugte</translation>
    </message>
    <message>
        <source>Copy &amp;Name</source>
        <translation>&amp;Namen kopieren</translation>
    </message>
    <message>
        <source>&amp;Next Step</source>
        <translation>&amp;Nächster Schritt</translation>
    </message>
    <message>
        <source>&amp;Previous Step</source>
        <translation>&amp;Voriger Schritt</translation>
    </message>
    <message>
        <source>&amp;First Step</source>
        <translation>&amp;Erster Schritt</translation>
    </message>
    <message>
        <source>&amp;Last Step</source>
        <translation>&amp;Letzter Schritt</translation>
    </message>
    <message>
        <source>Pla&amp;y</source>
        <translation>Ab&amp;spielen</translation>
    </message>
    <message>
        <source>Next Ran&amp;k</source>
        <translation>Nä&amp;chster Rank</translation>
    </message>
    <message>
        <source>Pre&amp;vious Rank</source>
        <translation>Vori&amp;ger Rank</translation>
    </message>
    <message>
        <source>Step &amp;Into</source>
        <translation>H&amp;ineingehen</translation>
    </message>
    <message>
        <source>Step &amp;Out</source>
        <translation>He&amp;rausgehen</translation>
    </message>
    <message>
        <source>By P&amp;asses</source>
        <translation>Nach &amp;Durchläufen</translation>
    </message>
    <message>
        <source>By No&amp;des</source>
        <translation>Nach &amp;Knoten</translation>
    </message>
    <message>
        <source>By Sta&amp;ges</source>
        <translation>Nach &amp;Abschnitten</translation>
    </message>
    <message>
        <source>By Lin&amp;es</source>
        <translation>Nach &amp;Zeilen</translation>
    </message>
    <message>
        <source>By Op&amp;s</source>
        <translation>Nach &amp;Ops</translation>
    </message>
    <message>
        <source>&amp;Half a Step per Second</source>
        <translation>Ein &amp;halber Schritt pro Sekunde</translation>
    </message>
    <message>
        <source>&amp;1 Step per Second</source>
        <translation>&amp;1 Schritt pro Sekunde</translation>
    </message>
    <message>
        <source>&amp;2 Steps per Second</source>
        <translation>&amp;2 Schritte pro Sekunde</translation>
    </message>
    <message>
        <source>&amp;5 Steps per Second</source>
        <translation>&amp;5 Schritte pro Sekunde</translation>
    </message>
    <message>
        <source>2&amp;0 Steps per Second</source>
        <translation>2&amp;0 Schritte pro Sekunde</translation>
    </message>
    <message>
        <source>&amp;Set or Remove Breakpoint</source>
        <translation>Haltepunkt &amp;setzen oder entfernen</translation>
    </message>
    <message>
        <source>&amp;Run to Next Breakpoint</source>
        <translation>Bis zum &amp;nächsten Haltepunkt</translation>
    </message>
    <message>
        <source>Run &amp;Back to Breakpoint</source>
        <translation>&amp;Zurück bis zum Haltepunkt</translation>
    </message>
    <message>
        <source>Remove &amp;All Breakpoints</source>
        <translation>&amp;Alle Haltepunkte entfernen</translation>
    </message>
    <message>
        <source>Run to &amp;Here</source>
        <translation>Bis hierher &amp;ausführen</translation>
    </message>
    <message>
        <source>&amp;Fit Graph</source>
        <translation>Graph &amp;einpassen</translation>
    </message>
    <message>
        <source>&amp;Center Current Node</source>
        <translation>Aktuellen &amp;Knoten zentrieren</translation>
    </message>
    <message>
        <source>&amp;Open Group</source>
        <translation>Gruppe au&amp;fklappen</translation>
    </message>
    <message>
        <source>Clos&amp;e Group</source>
        <translation>Gruppe zuk&amp;lappen</translation>
    </message>
    <message>
        <source>Close Opened Gro&amp;ups</source>
        <translation>Alle Gr&amp;uppen zuklappen</translation>
    </message>
    <message>
        <source>&amp;100%</source>
        <translation>&amp;100 %</translation>
    </message>
    <message>
        <source>Zoom &amp;In</source>
        <translation>&amp;Hineinzoomen</translation>
    </message>
    <message>
        <source>Zoom &amp;Out</source>
        <translation>Her&amp;auszoomen</translation>
    </message>
    <message>
        <source>Reset La&amp;yout</source>
        <translation>La&amp;yout zurücksetzen</translation>
    </message>
    <message>
        <source>&amp;Larger Text</source>
        <translation>&amp;Text größer</translation>
    </message>
    <message>
        <source>&amp;Smaller Text</source>
        <translation>Te&amp;xt kleiner</translation>
    </message>
    <message>
        <source>Sho&amp;w Graph</source>
        <translation>Graph &amp;zeigen</translation>
    </message>
    <message>
        <source>Show &amp;Jacobians</source>
        <translation>&amp;Jacobi zeigen</translation>
    </message>
    <message>
        <source>Show Co&amp;mpare</source>
        <translation>&amp;Vergleich zeigen</translation>
    </message>
    <message>
        <source>Show T&amp;raining</source>
        <translation>T&amp;raining anzeigen</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <translation>&amp;System</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>Color by &amp;Time</source>
        <translation>Nach &amp;Zeit färben</translation>
    </message>
    <message>
        <source>Pr&amp;esenter Mode</source>
        <translation>Präsentationsm&amp;odus</translation>
    </message>
    <message>
        <source>Present O&amp;n</source>
        <translation>Präsentieren a&amp;uf</translation>
    </message>
    <message>
        <source>&amp;Quiz Mode</source>
        <translation>&amp;Quizmodus</translation>
    </message>
    <message>
        <source>Hide &amp;Answers Again</source>
        <translation>A&amp;ntworten wieder verbergen</translation>
    </message>
    <message>
        <source>&amp;Draw With Pen</source>
        <translation>&amp;Mit Stift zeichnen</translation>
    </message>
    <message>
        <source>Spotlig&amp;ht</source>
        <translation>Spot&amp;light</translation>
    </message>
    <message>
        <source>&amp;Black Screen</source>
        <translation>&amp;Schwarzer Bildschirm</translation>
    </message>
    <message>
        <source>F&amp;ull Screen</source>
        <translation>Voll&amp;bild</translation>
    </message>
    <message>
        <source>&amp;Check the Gradient</source>
        <translation>Gra&amp;dient prüfen</translation>
    </message>
    <message>
        <source>Record a Sampl&amp;e of Many Passes</source>
        <translation>Von vielen Durchläufen eine Stic&amp;hprobe aufzeichnen</translation>
    </message>
    <message>
        <source>Record &amp;All Passes</source>
        <translation>&amp;Alle Durchläufe aufzeichnen</translation>
    </message>
    <message>
        <source>Next Ite&amp;ration</source>
        <translation>Nächste Ite&amp;ration</translation>
    </message>
    <message>
        <source>Previous I&amp;teration</source>
        <translation>Vorherige I&amp;teration</translation>
    </message>
    <message>
        <source>S&amp;how All Iterations</source>
        <translation>Alle Iterationen an&amp;zeigen</translation>
    </message>
    <message>
        <source>&amp;Next Stop</source>
        <translation>&amp;Nächste Station</translation>
    </message>
    <message>
        <source>&amp;Previous Stop</source>
        <translation>&amp;Vorige Station</translation>
    </message>
    <message>
        <source>&amp;Add This View to Lesson</source>
        <translation>Ansicht zur Lektion &amp;hinzufügen</translation>
    </message>
    <message>
        <source>&amp;Leave Lesson</source>
        <translation>Lektion v&amp;erlassen</translation>
    </message>
    <message>
        <source>&amp;Speaker View</source>
        <translation>&amp;Referentenansicht</translation>
    </message>
</context>
<context>
    <name>AlertChips</name>
    <message>
        <source>Click to go to the next one. First at step {0}: {1}</source>
        <translation>Ein Klick führt zur nächsten Stelle. Zuerst bei Schritt {0}: {1}</translation>
    </message>
    <message>
        <source>Click to read them in the Doctor. First at step {0}: {1}</source>
        <translation>Klicken, um sie im Doctor zu lesen. Der erste in Schritt {0}: {1}</translation>
    </message>
    <message>
        <source>Except in steps that a GradScaler skips, it has reached no root, no gradient of a leaf and no parameter.</source>
        <translation>Außer in Schritten, die ein GradScaler überspringt, hat es keine Wurzel, keinen Gradienten eines Blatts und keinen Parameter erreicht.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln error(s)</source>
        <translation>
            <numerusform>%Ln Fehler</numerusform>
            <numerusform>%Ln Fehler</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln finding(s)</source>
        <translation>
            <numerusform>%Ln Befund</numerusform>
            <numerusform>%Ln Befunde</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>differs at %Ln step(s)</source>
        <translation>
            <numerusform>Abweichung bei %Ln Schritt</numerusform>
            <numerusform>Abweichung bei %Ln Schritten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>NaN or Inf: %Ln step(s)</source>
        <translation>
            <numerusform>NaN oder Inf: %Ln Schritt</numerusform>
            <numerusform>NaN oder Inf: %Ln Schritte</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>isolated NaN or Inf: %Ln step(s)</source>
        <translation>
            <numerusform>Isolierte NaN oder Inf: %Ln Schritt</numerusform>
            <numerusform>Isolierte NaN oder Inf: %Ln Schritte</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>App</name>
    <message>
        <source>The language changes when gradviz is started again.</source>
        <translation>Die Sprache ändert sich beim nächsten Start von gradviz.</translation>
    </message>
    <message>
        <source>gradviz ended unexpectedly last time. The crash report is at {0}.</source>
        <translation>gradviz wurde beim letzten Mal unerwartet beendet. Der Absturzbericht liegt unter {0}.</translation>
    </message>
</context>
<context>
    <name>ArgumentFields</name>
    <message>
        <source>Choose File…</source>
        <translation>Datei wählen…</translation>
    </message>
    <message>
        <source>{0} tensors cannot require gradients. Choose a floating-point or complex dtype.</source>
        <translation>Bei {0}-Tensoren ist requires_grad nicht möglich. Wählen Sie einen Gleitkomma- oder komplexen dtype.</translation>
    </message>
    <message>
        <source>literal</source>
        <translation>Literal</translation>
    </message>
    <message>
        <source>{0}: Python literal</source>
        <translation>{0}: Python-Literal</translation>
    </message>
    <message>
        <source>A Python literal, like 3 or &apos;mean&apos;</source>
        <translation>Ein Python-Literal wie 3 oder &apos;mean&apos;</translation>
    </message>
    <message>
        <source>such as --lr 0.1</source>
        <translation>etwa --lr 0.1</translation>
    </message>
    <message>
        <source>{0} of the script</source>
        <translation>{0} des Skripts</translation>
    </message>
    <message>
        <source>Arguments as on the command line</source>
        <translation>Argumente wie auf der Befehlszeile</translation>
    </message>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>such as x.npy, or weights.pt:bias</source>
        <translation>etwa x.npy oder weights.pt:bias</translation>
    </message>
    <message>
        <source>{0}: file</source>
        <translation>{0}: Datei</translation>
    </message>
    <message>
        <source>Path of a file with a tensor, and its name after a colon if needed</source>
        <translation>Pfad einer Datei mit einem Tensor, bei Bedarf nach einem Doppelpunkt dessen Name</translation>
    </message>
    <message>
        <source>{0}: kind</source>
        <translation>{0}: Art</translation>
    </message>
    <message>
        <source>{0}: preview of the fill</source>
        <translation>{0}: Vorschau der Füllung</translation>
    </message>
    <message>
        <source>{0}: shape</source>
        <translation>{0}: Shape</translation>
    </message>
    <message>
        <source>{0}: dtype</source>
        <translation>{0}: dtype</translation>
    </message>
    <message>
        <source>{0}: fill</source>
        <translation>{0}: Füllung</translation>
    </message>
    <message>
        <source>{0}: requires_grad</source>
        <translation>{0}: requires_grad</translation>
    </message>
    <message>
        <source>What to pass: a tensor, None, or another object</source>
        <translation>Was übergeben wird: ein Tensor, None oder ein anderes Objekt</translation>
    </message>
    <message>
        <source>Shape, like 2×3; empty for a single number</source>
        <translation>Shape wie 2×3; leer für eine einzelne Zahl</translation>
    </message>
    <message>
        <source>scalar</source>
        <translation>Skalar</translation>
    </message>
    <message>
        <source>dtype</source>
        <translation>dtype</translation>
    </message>
    <message>
        <source>How to create the elements</source>
        <translation>Wie die Elemente erzeugt werden</translation>
    </message>
    <message>
        <source>Whether to compute a gradient for it</source>
        <translation>Ob ein Gradient dafür berechnet wird</translation>
    </message>
    <message>
        <source>Tensors ({0})</source>
        <translation>Tensoren ({0})</translation>
    </message>
    <message>
        <source>Choose a Tensor</source>
        <translation>Tensor wählen</translation>
    </message>
</context>
<context>
    <name>ArgumentHeader</name>
    <message>
        <source>Click to edit.</source>
        <translation>Zum Bearbeiten klicken.</translation>
    </message>
    <message>
        <source>Differs from the original input.</source>
        <translation>Weicht von der ursprünglichen Eingabe ab.</translation>
    </message>
</context>
<context>
    <name>ArgumentRow</name>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>{0}: reset</source>
        <translation>{0}: zurücksetzen</translation>
    </message>
    <message>
        <source>Restore the original input</source>
        <translation>Ursprüngliche Eingabe wiederherstellen</translation>
    </message>
    <message>
        <source>shape of {0}</source>
        <translation>Shape von {0}</translation>
    </message>
    <message>
        <source>dtype of {0}</source>
        <translation>dtype von {0}</translation>
    </message>
    <message>
        <source>fill of {0}</source>
        <translation>Füllung von {0}</translation>
    </message>
    <message>
        <source>kind of {0}</source>
        <translation>Art von {0}</translation>
    </message>
    <message>
        <source>requires_grad of {0}</source>
        <translation>requires_grad von {0}</translation>
    </message>
    <message>
        <source>elements of {0}</source>
        <translation>Elemente von {0}</translation>
    </message>
    <message>
        <source>value of {0}</source>
        <translation>Wert von {0}</translation>
    </message>
    <message>
        <source>reset of {0}</source>
        <translation>Zurücksetzen von {0}</translation>
    </message>
</context>
<context>
    <name>AxisChoice</name>
    <message>
        <source>rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Row dimension</source>
        <translation>Zeilendimension</translation>
    </message>
    <message>
        <source>Column dimension</source>
        <translation>Spaltendimension</translation>
    </message>
    <message>
        <source>{name} of the heatmap (Up, Down)</source>
        <translation>{name} der Heatmap (Pfeil auf/ab)</translation>
    </message>
    <message>
        <source>dim {axis} · size {size}</source>
        <translation>dim {axis} · Größe {size}</translation>
    </message>
</context>
<context>
    <name>AxisRow</name>
    <message>
        <source>Slider of dimension {axis}</source>
        <translation>Regler für Dimension {axis}</translation>
    </message>
    <message>
        <source>Move through dimension {axis} (arrow keys)</source>
        <translation>Durch Dimension {axis} gehen (Pfeiltasten)</translation>
    </message>
</context>
<context>
    <name>BackwardFields</name>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Seed of the random numbers in the file, the inputs and the run</source>
        <translation>Seed der Zufallszahlen in der Datei, den Eingaben und dem Lauf</translation>
    </message>
    <message>
        <source>How the backward pass starts</source>
        <translation>Wie der Backward-Durchlauf beginnt</translation>
    </message>
    <message>
        <source>Output that the backward pass starts at, counted from 0</source>
        <translation>Ausgabe, an der der Backward-Durchlauf beginnt, gezählt ab 0</translation>
    </message>
    <message>
        <source>Output that the backward pass starts at, counted from 0; other outputs get no gradient</source>
        <translation>Ausgabe, an der der Backward-Durchlauf beginnt, gezählt ab 0; andere Ausgaben erhalten keinen Gradienten</translation>
    </message>
</context>
<context>
    <name>BlackScreen</name>
    <message>
        <source>Black screen</source>
        <translation>Schwarzer Bildschirm</translation>
    </message>
    <message>
        <source>Press any key or click to show the window again.</source>
        <translation>Eine beliebige Taste oder ein Klick zeigt das Fenster wieder.</translation>
    </message>
</context>
<context>
    <name>BreadcrumbBar</name>
    <message>
        <source>Groups around the current node</source>
        <translation>Gruppen um den aktuellen Knoten</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>Show the whole graph</source>
        <translation>Ganzen Graphen zeigen</translation>
    </message>
    <message>
        <source>Go to {0}, {1}</source>
        <translation>Zu {0}, {1}</translation>
    </message>
    <message>
        <source>Go to {0}</source>
        <translation>Zu {0}</translation>
    </message>
    <message>
        <source>Open {0}</source>
        <translation>{0} aufklappen</translation>
    </message>
</context>
<context>
    <name>BreakpointPanel</name>
    <message>
        <source>Breakpoints</source>
        <translation>Haltepunkte</translation>
    </message>
    <message>
        <source>Enter: go to the next hit</source>
        <translation>Eingabetaste: zum nächsten Treffer</translation>
    </message>
    <message>
        <source>Run back to the previous breakpoint</source>
        <translation>Zurück bis zum vorigen Haltepunkt</translation>
    </message>
    <message>
        <source>Run to the next breakpoint</source>
        <translation>Bis zum nächsten Haltepunkt</translation>
    </message>
    <message>
        <source>Remove the breakpoint ({keys})</source>
        <translation>Haltepunkt entfernen ({keys})</translation>
    </message>
    <message>
        <source>Remove the breakpoint</source>
        <translation>Haltepunkt entfernen</translation>
    </message>
    <message>
        <source>No breakpoints are set. {key} sets one at the selected node or the current line. To stop at something else, add a condition above.</source>
        <translation>Keine Haltepunkte gesetzt. {key} setzt einen am gewählten Knoten oder in der aktuellen Zeile. Um bei etwas anderem anzuhalten, oben eine Bedingung hinzufügen.</translation>
    </message>
</context>
<context>
    <name>Breakpoints</name>
    <message>
        <source>Enter the name of a function, node or op, such as mul, MulBackward0 or aten::mul.</source>
        <translation>Namen einer Funktion, eines Knotens oder einer Op eingeben, etwa mul, MulBackward0 oder aten::mul.</translation>
    </message>
    <message>
        <source>The norm must be a number that is 0 or greater.</source>
        <translation>Die Norm muss eine Zahl ab 0 sein.</translation>
    </message>
    <message>
        <source>Enter the name of a leaf or variable.</source>
        <translation>Namen eines Blattes oder einer Variablen eingeben.</translation>
    </message>
    <message>
        <source>Enter the element&apos;s indices: whole numbers from 0, separated by commas, one per dimension.</source>
        <translation>Indizes des Elements eingeben: ganze Zahlen ab 0, durch Kommas getrennt, eine pro Dimension.</translation>
    </message>
    <message>
        <source>&amp;Go to Next Hit</source>
        <translation>Zum nächsten &amp;Treffer</translation>
    </message>
    <message>
        <source>Di&amp;sable</source>
        <translation>&amp;Deaktivieren</translation>
    </message>
    <message>
        <source>&amp;Enable</source>
        <translation>&amp;Aktivieren</translation>
    </message>
    <message>
        <source>Re&amp;move</source>
        <translation>&amp;Entfernen</translation>
    </message>
</context>
<context>
    <name>BuiltinHeader</name>
    <message>
        <source>Go to step {number}</source>
        <translation>Zu Schritt {number}</translation>
    </message>
    <message>
        <source>step {number}</source>
        <translation>Schritt {number}</translation>
    </message>
</context>
<context>
    <name>CallStackBar</name>
    <message>
        <source>Call Stack</source>
        <translation>Aufrufliste</translation>
    </message>
    <message>
        <source>Go to the line that is running in this call</source>
        <translation>Zur Zeile, die in diesem Aufruf gerade läuft</translation>
    </message>
</context>
<context>
    <name>CardFacts</name>
    <message>
        <source>Double-click to open the group.</source>
        <translation>Doppelklick klappt die Gruppe auf.</translation>
    </message>
    <message>
        <source>saved by</source>
        <translation>gespeichert von</translation>
    </message>
    <message>
        <source>in</source>
        <translation>in</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Function</translation>
    </message>
    <message>
        <source>leaf</source>
        <translation>Blatt</translation>
    </message>
    <message>
        <source>module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>time while recording</source>
        <translation>Zeit beim Aufzeichnen</translation>
    </message>
    <message>
        <source>created in {0}</source>
        <translation>erzeugt in {0}</translation>
    </message>
    <message>
        <source>accumulates in {0}</source>
        <translation>akkumuliert in {0}</translation>
    </message>
    <message>
        <source>executed in {0}</source>
        <translation>ausgeführt in {0}</translation>
    </message>
    <message>
        <source>never executed</source>
        <translation>nie ausgeführt</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>receives</source>
        <translation>erhält</translation>
    </message>
    <message>
        <source>adds up to</source>
        <translation>ergibt zusammen</translation>
    </message>
    <message>
        <source>returns</source>
        <translation>gibt zurück</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>gespeichert</translation>
    </message>
    <message>
        <source>saved, freed by step {0}</source>
        <translation>gespeichert, von Schritt {0} freigegeben</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>requires grad</source>
        <translation>requires_grad</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>and {0} more</source>
        <translation>und {0} weitere</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
</context>
<context>
    <name>CellDelegate</name>
    <message>
        <source>Element [{0}, {1}]</source>
        <translation>Element [{0}, {1}]</translation>
    </message>
</context>
<context>
    <name>CellsEditor</name>
    <message>
        <source>{0}: elements</source>
        <translation>{0}: Elemente</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>&amp;Einfügen</translation>
    </message>
    <message>
        <source>&amp;Set to 0</source>
        <translation>&amp;Auf 0 setzen</translation>
    </message>
    <message>
        <source>dim {0}: </source>
        <translation>dim {0}: </translation>
    </message>
    <message>
        <source>{0}: index of dimension {1}</source>
        <translation>{0}: Index von Dimension {1}</translation>
    </message>
    <message>
        <source>Index of dimension {0} that the grid shows</source>
        <translation>Index von Dimension {0}, den das Raster zeigt</translation>
    </message>
</context>
<context>
    <name>CellsView</name>
    <message>
        <source>Type or paste the elements. Enter moves down, Tab moves right.</source>
        <translation>Elemente eingeben oder einfügen. Mit der Eingabetaste geht es nach unten, mit Tab nach rechts.</translation>
    </message>
</context>
<context>
    <name>ChangeListView</name>
    <message>
        <source>Changes</source>
        <translation>Änderungen</translation>
    </message>
    <message>
        <source>Space: turn the change on or off; Enter: edit it; Del: remove it</source>
        <translation>Leertaste: Änderung ein- oder ausschalten; Eingabetaste: bearbeiten; Entf: entfernen</translation>
    </message>
</context>
<context>
    <name>ChangeMenus</name>
    <message>
        <source>{0} cannot be changed directly. You can change inputs, parameters, saved tensors, and gradients passed from node to node.</source>
        <translation>{0} kann nicht direkt geändert werden. Änderbar sind Eingaben, Parameter, gespeicherte Tensoren und Gradienten, die von Knoten zu Knoten weitergegeben werden.</translation>
    </message>
    <message>
        <source>Value to change</source>
        <translation>Zu ändernder Wert</translation>
    </message>
    <message>
        <source>There is no code to run again: run a scene or a file first</source>
        <translation>Kein Code zum erneuten Ausführen: zuerst eine Szene oder Datei ausführen</translation>
    </message>
    <message>
        <source>Quiz mode hides the values of some steps until you reveal them</source>
        <translation>Der Quizmodus verbirgt die Werte mancher Schritte, bis sie aufgedeckt werden</translation>
    </message>
    <message>
        <source>Nothing here can be changed</source>
        <translation>Hier kann nichts geändert werden</translation>
    </message>
    <message>
        <source>Why Is Nothing Listed?</source>
        <translation>Warum ist nichts aufgeführt?</translation>
    </message>
    <message>
        <source>The node saves no tensor and passes no gradient on</source>
        <translation>Der Knoten speichert keinen Tensor und gibt keinen Gradienten weiter</translation>
    </message>
    <message>
        <source>{0}.</source>
        <translation>{0}.</translation>
    </message>
</context>
<context>
    <name>ChangedInputsNotice</name>
    <message>
        <source>Reset All</source>
        <translation>Alle zurücksetzen</translation>
    </message>
    <message>
        <source>Reset all inputs</source>
        <translation>Alle Eingaben zurücksetzen</translation>
    </message>
    <message>
        <source>Restore the original inputs</source>
        <translation>Ursprüngliche Eingaben wiederherstellen</translation>
    </message>
</context>
<context>
    <name>Changes</name>
    <message>
        <source>gradient</source>
        <translation>Gradient</translation>
    </message>
    <message>
        <source>argument {0}</source>
        <translation>Argument {0}</translation>
    </message>
    <message>
        <source>parameter {0}</source>
        <translation>Parameter {0}</translation>
    </message>
    <message>
        <source>equal bit for bit</source>
        <translation>bitgenau gleich</translation>
    </message>
    <message>
        <source>equal in the stored part</source>
        <translation>gleich im gespeicherten Teil</translation>
    </message>
    <message>
        <source>unknown, because not stored</source>
        <translation>unbekannt, da nicht gespeichert</translation>
    </message>
    <message>
        <source>only in the original run</source>
        <translation>nur im ursprünglichen Lauf</translation>
    </message>
    <message>
        <source>only in the changed run</source>
        <translation>nur im geänderten Lauf</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>weicht ab</translation>
    </message>
    <message>
        <source>{0} of {1} elements</source>
        <translation>{0} von {1} Elementen</translation>
    </message>
    <message>
        <source>{0} of the {1} stored elements</source>
        <translation>{0} der {1} gespeicherten Elemente</translation>
    </message>
    <message>
        <source>equal value, different bits</source>
        <translation>gleicher Wert, andere Bits</translation>
    </message>
    <message>
        <source>{0} at [{1}]</source>
        <translation>{0} bei [{1}]</translation>
    </message>
    <message>
        <source>{0} ({1})</source>
        <translation>{0} ({1})</translation>
    </message>
</context>
<context>
    <name>CheckBar</name>
    <message>
        <source>Check</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Compute both Jacobians, as torch&apos;s gradcheck and gradgradcheck do</source>
        <translation>Beide Jacobi-Matrizen berechnen, wie torchs gradcheck und gradgradcheck</translation>
    </message>
</context>
<context>
    <name>CheckForm</name>
    <message>
        <source>Reference implementation</source>
        <translation>Referenzimplementierung</translation>
    </message>
    <message>
        <source>FILE.py:NAME or NAME</source>
        <translation>DATEI.py:NAME oder NAME</translation>
    </message>
    <message>
        <source>A function that computes the same with PyTorch operations; NAME is in the checked file</source>
        <translation>Eine Funktion, die dasselbe mit PyTorch-Operationen berechnet; NAME steht in der geprüften Datei</translation>
    </message>
    <message>
        <source>Step size of the central difference, in units of the input</source>
        <translation>Schrittweite der zentralen Differenz, in Einheiten der Eingabe</translation>
    </message>
    <message>
        <source>Absolute tolerance</source>
        <translation>Absolute Toleranz</translation>
    </message>
    <message>
        <source>Tolerance relative to the numerical value</source>
        <translation>Toleranz relativ zum numerischen Wert</translation>
    </message>
    <message>
        <source>eps must be a number greater than 0.</source>
        <translation>eps muss eine Zahl größer als 0 sein.</translation>
    </message>
    <message>
        <source>{name} must be a number greater than or equal to 0.</source>
        <translation>{name} muss eine Zahl ab 0 sein.</translation>
    </message>
    <message>
        <source>Cast Inputs to float64</source>
        <translation>Eingaben in float64 umwandeln</translation>
    </message>
    <message>
        <source>Avoid differences caused by rounding in a lower precision</source>
        <translation>Unterschiede durch Rundung bei geringerer Genauigkeit vermeiden</translation>
    </message>
    <message>
        <source>Masked Sparse Inputs</source>
        <translation>Dünn besetzte Eingaben maskiert</translation>
    </message>
    <message>
        <source>Vary only the specified elements of sparse inputs</source>
        <translation>Nur die spezifizierten Elemente dünn besetzter Eingaben ändern</translation>
    </message>
    <message>
        <source>Backward Mode</source>
        <translation>Backward-Modus</translation>
    </message>
    <message>
        <source>Compare backward; without it, only forward mode is compared</source>
        <translation>backward vergleichen; sonst wird nur der Forward-Modus verglichen</translation>
    </message>
    <message>
        <source>Batched Gradients</source>
        <translation>Gradienten als Batch</translation>
    </message>
    <message>
        <source>Compare vmap over backward with a loop over it</source>
        <translation>vmap über backward mit einer Schleife darüber vergleichen</translation>
    </message>
    <message>
        <source>Batched Forward Mode</source>
        <translation>Forward-Modus als Batch</translation>
    </message>
    <message>
        <source>Compare vmap over forward mode with a loop over it</source>
        <translation>vmap über den Forward-Modus mit einer Schleife darüber vergleichen</translation>
    </message>
    <message>
        <source>Undefined Gradients</source>
        <translation>Undefinierte Gradienten</translation>
    </message>
    <message>
        <source>Try undefined gradients and tangents, as gradcheck does</source>
        <translation>Undefinierte Gradienten und Tangenten ausprobieren, wie gradcheck</translation>
    </message>
    <message>
        <source>Non-contiguous Gradients</source>
        <translation>Nicht zusammenhängende Gradienten</translation>
    </message>
    <message>
        <source>For gradgradcheck, draw incoming gradients that are not contiguous</source>
        <translation>Für gradgradcheck nicht zusammenhängende eingehende Gradienten ziehen</translation>
    </message>
    <message>
        <source>Fast Mode</source>
        <translation>Schnellmodus</translation>
    </message>
    <message>
        <source>Compare products with random vectors first, and full matrices only if needed</source>
        <translation>Zuerst Produkte mit Zufallsvektoren vergleichen, ganze Matrizen nur bei Bedarf</translation>
    </message>
    <message>
        <source>Other Incoming Gradients</source>
        <translation>Andere eingehende Gradienten</translation>
    </message>
    <message>
        <source>Try gradients that gradcheck never tries: expanded, zeros, None, NaN…</source>
        <translation>Gradienten probieren, die gradcheck nie probiert: expandiert, Nullen, None, NaN…</translation>
    </message>
    <message>
        <source>Input Variations</source>
        <translation>Eingabevariationen</translation>
    </message>
    <message>
        <source>Vary the inputs: size 1, empty, other strides, None…</source>
        <translation>Eingaben variieren: Größe 1, leer, andere Strides, None…</translation>
    </message>
    <message>
        <source>If There Is a jvp</source>
        <translation>Falls jvp vorhanden</translation>
    </message>
    <message>
        <source>Must Agree</source>
        <translation>Muss übereinstimmen</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>Forward mode</source>
        <translation>Forward-Modus</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Referenz</translation>
    </message>
</context>
<context>
    <name>CheckOptionsButton</name>
    <message>
        <source>Options</source>
        <translation>Optionen</translation>
    </message>
    <message>
        <source>Options ({count})</source>
        <translation>Optionen ({count})</translation>
    </message>
    <message>
        <source>The check includes:</source>
        <translation>Die Prüfung umfasst:</translation>
    </message>
</context>
<context>
    <name>CheckRepeater</name>
    <message>
        <source>Checked again after the edit: {0} → {1}</source>
        <translation>Nach der Bearbeitung erneut geprüft: {0} → {1}</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>{0} wrong</source>
        <translation>{0} falsch</translation>
    </message>
</context>
<context>
    <name>CheckSettings</name>
    <message>
        <source>other incoming gradients tried</source>
        <translation>andere eingehende Gradienten probiert</translation>
    </message>
    <message>
        <source>input variations tried</source>
        <translation>Eingabevariationen probiert</translation>
    </message>
    <message>
        <source>This points to a problem with the check, not with the function: {titles}.</source>
        <translation>Das deutet auf ein Problem mit der Prüfung hin, nicht mit der Funktion: {titles}.</translation>
    </message>
</context>
<context>
    <name>CheckStart</name>
    <message>
        <source>Check the Gradient</source>
        <translation>Gradient prüfen</translation>
    </message>
    <message>
        <source>Check the Second Derivative</source>
        <translation>Zweite Ableitung prüfen</translation>
    </message>
    <message>
        <source>Options</source>
        <translation>Optionen</translation>
    </message>
    <message>
        <source>eps, atol, rtol, complex, other incoming gradients</source>
        <translation>eps, atol, rtol, komplex, andere eingehende Gradienten</translation>
    </message>
    <message>
        <source>In this scene, the check tests {0}.</source>
        <translation>In dieser Szene prüft die Prüfung {0}.</translation>
    </message>
</context>
<context>
    <name>CloseConfirmation</name>
    <message>
        <source>Run in Progress</source>
        <translation>Lauf nicht beendet</translation>
    </message>
    <message>
        <source>The run of {0} is still in progress.</source>
        <translation>Der Lauf von {0} ist noch nicht beendet.</translation>
    </message>
    <message>
        <source>Closing the window stops it and discards its trace. To keep what was recorded, choose Cancel, stop the run, and save it.</source>
        <translation>Beim Schließen des Fensters wird er gestoppt und sein Trace verworfen. Um das Aufgezeichnete zu behalten, wählen Sie „Abbrechen“, stoppen Sie den Lauf und speichern Sie ihn.</translation>
    </message>
    <message>
        <source>Check in Progress</source>
        <translation>Prüfung nicht beendet</translation>
    </message>
    <message>
        <source>The check of {0} is still in progress.</source>
        <translation>Die Prüfung von {0} ist noch nicht beendet.</translation>
    </message>
    <message>
        <source>Closing the window stops it and discards its report.</source>
        <translation>Beim Schließen des Fensters wird sie gestoppt und ihr Bericht verworfen.</translation>
    </message>
    <message>
        <source>The trace of {0} is still being opened.</source>
        <translation>Der Trace von {0} wird noch geöffnet.</translation>
    </message>
    <message>
        <source>Closing the window discards it. To keep what was recorded, choose Cancel, and save it when it is shown.</source>
        <translation>Wenn das Fenster geschlossen wird, geht er verloren. Um das Aufgezeichnete zu behalten, wählen Sie Abbrechen und speichern Sie es, sobald es gezeigt wird.</translation>
    </message>
    <message>
        <source>&amp;Stop and Close</source>
        <translation>&amp;Stoppen und schließen</translation>
    </message>
    <message>
        <source>Unsaved Run</source>
        <translation>Nicht gespeicherter Lauf</translation>
    </message>
    <message>
        <source>The run of {0} is not saved.</source>
        <translation>Der Lauf von {0} ist nicht gespeichert.</translation>
    </message>
    <message>
        <source>Without saving, its trace is lost when the window closes.</source>
        <translation>Ohne Speichern geht sein Trace beim Schließen des Fensters verloren.</translation>
    </message>
    <message>
        <source>Do not ask again</source>
        <translation>Nicht mehr fragen</translation>
    </message>
    <message>
        <source>Export in Progress</source>
        <translation>Export nicht beendet</translation>
    </message>
    <message>
        <source>The film {0} is still being exported.</source>
        <translation>Der Film {0} wird noch exportiert.</translation>
    </message>
    <message>
        <source>Closing the window cancels the export. The film is not saved.</source>
        <translation>Beim Schließen des Fensters wird der Export abgebrochen. Der Film wird nicht gespeichert.</translation>
    </message>
</context>
<context>
    <name>CodeColumn</name>
    <message>
        <source>Show the other half of this Function</source>
        <translation>Andere Hälfte dieser Function zeigen</translation>
    </message>
    <message>
        <source>Open in editor</source>
        <translation>Im Editor öffnen</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>This source file is not on this machine.</source>
        <translation>Diese Quelltextdatei ist nicht auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Open {name} in your editor</source>
        <translation>{name} in Ihrem Editor öffnen</translation>
    </message>
    <message>
        <source>Edit {name} here</source>
        <translation>{name} hier bearbeiten</translation>
    </message>
    <message>
        <source>Lines {0} to {1} of {2}. Scroll to the end for more.</source>
        <translation>Zeilen {0} bis {1} von {2}. Für mehr bis zum Ende scrollen.</translation>
    </message>
    <message>
        <source>This source is too long for syntax highlighting.</source>
        <translation>Dieser Quelltext ist zu lang für die Syntaxhervorhebung.</translation>
    </message>
    <message>
        <source>Lines {0} to {1} of {2}, too many for syntax highlighting. Scroll to the end for more.</source>
        <translation>Zeilen {0} bis {1} von {2}, zu viele für die Syntaxhervorhebung. Für mehr bis zum Ende scrollen.</translation>
    </message>
</context>
<context>
    <name>CommandController</name>
    <message>
        <source>{0}: {1}.</source>
        <translation>{0}: {1}.</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Run scene: {0}</source>
        <translation>Szene ausführen: {0}</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>Bibliothek</translation>
    </message>
    <message>
        <source>on</source>
        <translation>ein</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
</context>
<context>
    <name>Compare</name>
    <message>
        <source>Rank {0} of {1}</source>
        <translation>Rank {0} von {1}</translation>
    </message>
    <message>
        <source>Iteration {0}</source>
        <translation>Iteration {0}</translation>
    </message>
    <message>
        <source>Previous run: {0}</source>
        <translation>Voriger Lauf: {0}</translation>
    </message>
    <message>
        <source>Python file or trace…</source>
        <translation>Python-Datei oder Trace…</translation>
    </message>
    <message>
        <source>Same in {0}</source>
        <translation>Derselbe Lauf in {0}</translation>
    </message>
    <message>
        <source>Same on {0}</source>
        <translation>Derselbe Lauf auf {0}</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>None</source>
        <translation>None</translation>
    </message>
</context>
<context>
    <name>CompareBar</name>
    <message>
        <source>Compare with</source>
        <translation>Vergleichen mit</translation>
    </message>
    <message>
        <source>Differing steps</source>
        <translation>Abweichende Schritte</translation>
    </message>
    <message>
        <source>Previous difference</source>
        <translation>Voriger Unterschied</translation>
    </message>
    <message>
        <source>Next difference</source>
        <translation>Nächster Unterschied</translation>
    </message>
    <message>
        <source>Choose what to compare with…</source>
        <translation>Womit vergleichen?</translation>
    </message>
    <message>
        <source>Go to a step that differs</source>
        <translation>Zu einem abweichenden Schritt</translation>
    </message>
</context>
<context>
    <name>CompareController</name>
    <message>
        <source>There is nothing to compare yet. Run or open something first.</source>
        <translation>Es gibt noch nichts zu vergleichen. Zuerst etwas ausführen oder öffnen.</translation>
    </message>
    <message>
        <source>Opening the trace</source>
        <translation>Trace wird geöffnet</translation>
    </message>
    <message>
        <source>Running the code</source>
        <translation>Code wird ausgeführt</translation>
    </message>
    <message>
        <source>Nothing to compare with yet</source>
        <translation>Noch nichts zum Vergleichen</translation>
    </message>
    <message>
        <source>Choose a run to compare with: a matching scene, the previous run, the same run in another dtype, or a file. Both runs then step together.</source>
        <translation>Wählen Sie einen Lauf zum Vergleichen: eine passende Szene, den vorigen Lauf, denselben Lauf in einem anderen dtype oder eine Datei. Beide Läufe gehen dann im Gleichschritt weiter.</translation>
    </message>
    <message>
        <source>Python files and traces (*.py *.gradviz)</source>
        <translation>Python-Dateien und Traces (*.py *.gradviz)</translation>
    </message>
    <message>
        <source>Compare With</source>
        <translation>Vergleichen mit</translation>
    </message>
    <message>
        <source>Reading the file</source>
        <translation>Datei wird gelesen</translation>
    </message>
    <message>
        <source>Comparing the runs</source>
        <translation>Läufe werden verglichen</translation>
    </message>
    <message>
        <source>{0} in {1}</source>
        <translation>{0} in {1}</translation>
    </message>
</context>
<context>
    <name>CompareGraph</name>
    <message>
        <source>only here</source>
        <translation>nur hier</translation>
    </message>
    <message>
        <source>in place of {0}</source>
        <translation>anstelle von {0}</translation>
    </message>
    <message>
        <source>differs at step {0}</source>
        <translation>unterscheidet sich in Schritt {0}</translation>
    </message>
    <message>
        <source>No graph</source>
        <translation>Kein Graph</translation>
    </message>
    <message>
        <source>This run created no autograd nodes.</source>
        <translation>Dieser Lauf hat keine autograd-Knoten erzeugt.</translation>
    </message>
    <message>
        <source>The graph cannot be shown</source>
        <translation>Der Graph kann nicht gezeigt werden</translation>
    </message>
</context>
<context>
    <name>ComparePanel</name>
    <message>
        <source>Values in both runs</source>
        <translation>Werte in beiden Läufen</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Left: {0} ({1})</source>
        <translation>Links: {0} ({1})</translation>
    </message>
    <message>
        <source>Right: {0} ({1})</source>
        <translation>Rechts: {0} ({1})</translation>
    </message>
    <message>
        <source>Only the other side has this step.</source>
        <translation>Nur die andere Seite hat diesen Schritt.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln step(s) occur on only one side</source>
        <translation>
            <numerusform>%Ln Schritt kommt nur auf einer Seite vor</numerusform>
            <numerusform>%Ln Schritte kommen nur auf einer Seite vor</numerusform>
        </translation>
    </message>
    <message>
        <source>Step {0}: {1}</source>
        <translation>Schritt {0}: {1}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln step(s) differ</source>
        <translation>
            <numerusform>%Ln Schritt weicht ab</numerusform>
            <numerusform>%Ln Schritte weichen ab</numerusform>
        </translation>
    </message>
    <message>
        <source>No step differs</source>
        <translation>Kein Schritt weicht ab</translation>
    </message>
    <message>
        <source>Hidden in quiz mode</source>
        <translation>Im Quizmodus verborgen</translation>
    </message>
    <message>
        <source>The other run would reveal the answer.</source>
        <translation>Der andere Lauf würde die Antwort verraten.</translation>
    </message>
</context>
<context>
    <name>ConditionEditor</name>
    <message>
        <source>What to stop at</source>
        <translation>Wobei angehalten wird</translation>
    </message>
    <message>
        <source>a NaN</source>
        <translation>NaN</translation>
    </message>
    <message>
        <source>an Inf</source>
        <translation>Inf</translation>
    </message>
    <message>
        <source>a norm above</source>
        <translation>Norm über</translation>
    </message>
    <message>
        <source>a shape change</source>
        <translation>Shape-Änderung</translation>
    </message>
    <message>
        <source>a dtype change</source>
        <translation>dtype-Änderung</translation>
    </message>
    <message>
        <source>a sign change of</source>
        <translation>Vorzeichenwechsel von</translation>
    </message>
    <message>
        <source>a print</source>
        <translation>print-Ausgabe</translation>
    </message>
    <message>
        <source>an exception</source>
        <translation>Ausnahme</translation>
    </message>
    <message>
        <source>each</source>
        <translation>jedem</translation>
    </message>
    <message>
        <source>Stop at</source>
        <translation>Anhalten bei</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Add this breakpoint</source>
        <translation>Haltepunkt hinzufügen</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>L2 norm, e.g. 100 or 1e3</source>
        <translation>L2-Norm, z. B. 100 oder 1e3</translation>
    </message>
    <message>
        <source>Tensors to check</source>
        <translation>Zu prüfende Tensoren</translation>
    </message>
    <message>
        <source>of a gradient</source>
        <translation>eines Gradienten</translation>
    </message>
    <message>
        <source>of any tensor</source>
        <translation>irgendeines Tensors</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Element</source>
        <translation>Element</translation>
    </message>
    <message>
        <source>0, 1</source>
        <translation>0, 1</translation>
    </message>
    <message>
        <source>Value or gradient</source>
        <translation>Wert oder Gradient</translation>
    </message>
    <message>
        <source>in .grad</source>
        <translation>in .grad</translation>
    </message>
    <message>
        <source>in its value</source>
        <translation>im Wert</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>where it appears</source>
        <translation>beim Auftreten</translation>
    </message>
    <message>
        <source>wherever it is present</source>
        <translation>bei jedem Vorkommen</translation>
    </message>
    <message>
        <source>Direction</source>
        <translation>Richtung</translation>
    </message>
    <message>
        <source>in both directions</source>
        <translation>in beiden Richtungen</translation>
    </message>
    <message>
        <source>in forward</source>
        <translation>im Forward</translation>
    </message>
    <message>
        <source>in backward</source>
        <translation>im Backward</translation>
    </message>
</context>
<context>
    <name>ConsolePanel</name>
    <message>
        <source>Output of the run</source>
        <translation>Ausgabe des Laufs</translation>
    </message>
    <message>
        <source>Console</source>
        <translation>Konsole</translation>
    </message>
</context>
<context>
    <name>ContentsBox</name>
    <message>
        <source>Guide contents</source>
        <translation>Inhalt des Leitfadens</translation>
    </message>
    <message>
        <source>All pages of the guide in teaching order</source>
        <translation>Alle Seiten des Leitfadens in Lernreihenfolge</translation>
    </message>
</context>
<context>
    <name>ContextMenus</name>
    <message>
        <source>&amp;Go to Step {0}</source>
        <translation>Zu Schritt {0} &amp;gehen</translation>
    </message>
    <message>
        <source>Copy &amp;Line</source>
        <translation>&amp;Zeile kopieren</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>Select &amp;All</source>
        <translation>&amp;Alles auswählen</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Ausführen</translation>
    </message>
    <message>
        <source>&amp;Copy Name</source>
        <translation>&amp;Namen kopieren</translation>
    </message>
    <message>
        <source>&amp;Go to Op</source>
        <translation>Zur &amp;Op gehen</translation>
    </message>
    <message>
        <source>&amp;Go There</source>
        <translation>&amp;Dorthin gehen</translation>
    </message>
    <message>
        <source>&amp;Enlarge {0}</source>
        <translation>{0} &amp;vergrößern</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>&amp;Zuklappen</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>&amp;Aufklappen</translation>
    </message>
    <message>
        <source>&amp;Set or Remove Breakpoint</source>
        <translation>Haltepunkt &amp;setzen oder entfernen</translation>
    </message>
    <message>
        <source>Copy &amp;Values</source>
        <translation>&amp;Werte kopieren</translation>
    </message>
    <message>
        <source>&amp;Go to Line {0}</source>
        <translation>Zu Zeile {0} &amp;gehen</translation>
    </message>
    <message>
        <source>Run &amp;Forward to Line {0}</source>
        <translation>&amp;Vorwärts bis Zeile {0}</translation>
    </message>
    <message>
        <source>Run &amp;Back to Line {0}</source>
        <translation>&amp;Rückwärts bis Zeile {0}</translation>
    </message>
    <message>
        <source>&amp;Copy Description of Step {0}</source>
        <translation>&amp;Beschreibung von Schritt {0} kopieren</translation>
    </message>
    <message>
        <source>Find Origin of Its NaN or &amp;Inf</source>
        <translation>Ursprung von NaN oder &amp;Inf suchen</translation>
    </message>
</context>
<context>
    <name>DeclarationController</name>
    <message>
        <source>{0} cannot be read: {1}.</source>
        <translation>{0} ist nicht lesbar: {1}.</translation>
    </message>
    <message>
        <source>Inputs cannot be added to {0}. Declare them in its function examples().</source>
        <translation>Zu {0} lassen sich keine Eingaben hinzufügen. Deklarieren Sie sie in der Funktion examples().</translation>
    </message>
    <message>
        <source>Declare Inputs</source>
        <translation>Eingaben deklarieren</translation>
    </message>
</context>
<context>
    <name>Diagnoses</name>
    <message>
        <source>certain</source>
        <translation>sicher</translation>
    </message>
    <message>
        <source>likely</source>
        <translation>wahrscheinlich</translation>
    </message>
    <message>
        <source>The numbers allow no other explanation.</source>
        <translation>Die Zahlen lassen keine andere Erklärung zu.</translation>
    </message>
    <message>
        <source>Another explanation of the numbers is possible but unlikely.</source>
        <translation>Eine andere Erklärung der Zahlen ist möglich, aber unwahrscheinlich.</translation>
    </message>
</context>
<context>
    <name>DiagnosisCard</name>
    <message>
        <source>Show Repaired Matrix</source>
        <translation>Reparierte Matrix zeigen</translation>
    </message>
    <message>
        <source>Show the analytical Jacobian after this repair next to the other maps</source>
        <translation>Die analytische Jacobi-Matrix nach dieser Reparatur neben den anderen Matrizen zeigen</translation>
    </message>
    <message>
        <source>Diagnosis: {title}</source>
        <translation>Diagnose: {title}</translation>
    </message>
    <message>
        <source>Tried: {message}</source>
        <translation>Ausprobiert: {message}</translation>
    </message>
    <message>
        <source>Try this: {message}</source>
        <translation>Versuchen: {message}</translation>
    </message>
    <message>
        <source>{before} wrong → {after} wrong</source>
        <translation>{before} falsch → {after} falsch</translation>
    </message>
</context>
<context>
    <name>DifferenceSummary</name>
    <message>
        <source>Values in both runs</source>
        <translation>Werte in beiden Läufen</translation>
    </message>
    <message>
        <source>Comparing the runs…</source>
        <translation>Läufe werden verglichen…</translation>
    </message>
    <message numerus="yes">
        <source>No differences: all %Ln step(s) are equal bit for bit.</source>
        <translation>
            <numerusform>Keine Unterschiede: %Ln Schritt ist bitgenau gleich.</numerusform>
            <numerusform>Keine Unterschiede: Alle %Ln Schritte sind bitgenau gleich.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln of {0} step(s) differ, starting with step {1}.</source>
        <translation>
            <numerusform>%Ln von {0} Schritten weicht ab, zuerst Schritt {1}.</numerusform>
            <numerusform>%Ln von {0} Schritten weichen ab, zuerst Schritt {1}.</numerusform>
        </translation>
    </message>
    <message>
        <source>From step {0} on, the two runs take different steps.</source>
        <translation>Ab Schritt {0} haben die beiden Läufe verschiedene Schritte.</translation>
    </message>
    <message>
        <source>Some large values were stored only in part; only these parts were compared.</source>
        <translation>Einige große Werte wurden nur teilweise gespeichert; nur diese Teile wurden verglichen.</translation>
    </message>
    <message>
        <source>Hidden in quiz mode until the answer is revealed.</source>
        <translation>Im Quizmodus verborgen, bis die Antwort aufgedeckt wird.</translation>
    </message>
    <message>
        <source>Only the changed run has this step.</source>
        <translation>Nur der geänderte Lauf hat diesen Schritt.</translation>
    </message>
    <message>
        <source>There is nothing to compare in this step.</source>
        <translation>In diesem Schritt gibt es nichts zu vergleichen.</translation>
    </message>
    <message>
        <source>No value differs here.</source>
        <translation>Hier weicht kein Wert ab.</translation>
    </message>
    <message>
        <source>The only value here differs.</source>
        <translation>Der einzige Wert hier weicht ab.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln of {0} value(s) differ here.</source>
        <translation>
            <numerusform>%Ln von {0} Werten weicht hier ab.</numerusform>
            <numerusform>%Ln von {0} Werten weichen hier ab.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DifferencesTable</name>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Original</source>
        <translation>Original</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Differenz</translation>
    </message>
    <message>
        <source>Largest difference</source>
        <translation>Größte Differenz</translation>
    </message>
    <message>
        <source>{0}
In parentheses: relative to the original element.</source>
        <translation>{0}
In Klammern: relativ zum ursprünglichen Element.</translation>
    </message>
</context>
<context>
    <name>Dispatch</name>
    <message>
        <source>torch asks the type:</source>
        <translation>torch fragt den Typ:</translation>
    </message>
    <message>
        <source>torch asks the types from left to right:</source>
        <translation>torch fragt die Typen von links nach rechts:</translation>
    </message>
    <message>
        <source>which returns</source>
        <translation>gibt zurück</translation>
    </message>
    <message>
        <source>so the call raises</source>
        <translation>daher die Ausnahme</translation>
    </message>
    <message>
        <source>{0} more</source>
        <translation>{0} weitere</translation>
    </message>
    <message>
        <source>the call did not return</source>
        <translation>der Aufruf kehrte nicht zurück</translation>
    </message>
    <message>
        <source>{0} values</source>
        <translation>{0} Werte</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>{kind} {shape}, {dtype}</source>
        <translation>{kind} {shape}, {dtype}</translation>
    </message>
    <message>
        <source>{name} = {value}</source>
        <translation>{name} = {value}</translation>
    </message>
</context>
<context>
    <name>DispatchView</name>
    <message>
        <source>Picture of the call</source>
        <translation>Bild des Aufrufs</translation>
    </message>
    <message>
        <source>This step calls no __torch_function__.</source>
        <translation>Dieser Schritt ruft kein __torch_function__ auf.</translation>
    </message>
</context>
<context>
    <name>Docks</name>
    <message>
        <source>Panels</source>
        <translation>Bereiche</translation>
    </message>
    <message>
        <source>Scroll tabs left</source>
        <translation>Tabs nach links scrollen</translation>
    </message>
    <message>
        <source>Scroll tabs right</source>
        <translation>Tabs nach rechts scrollen</translation>
    </message>
</context>
<context>
    <name>DoctorPanel</name>
    <message>
        <source>Findings</source>
        <translation>Befunde</translation>
    </message>
    <message>
        <source>Enter: go to the step of the finding</source>
        <translation>Eingabetaste: zum Schritt des Befunds gehen</translation>
    </message>
    <message>
        <source>Doctor</source>
        <translation>Doctor</translation>
    </message>
    <message>
        <source>Findings about the run appear here.</source>
        <translation>Hier erscheinen Befunde über den Lauf.</translation>
    </message>
    <message>
        <source>No problems were found in this run.</source>
        <translation>In diesem Lauf wurden keine Probleme gefunden.</translation>
    </message>
    <message>
        <source>No problems were found up to this step.</source>
        <translation>Bis zu diesem Schritt wurden keine Probleme gefunden.</translation>
    </message>
    <message>
        <source>No problems were found in the recorded part of this run.</source>
        <translation>Im aufgezeichneten Teil dieses Laufs wurden keine Probleme gefunden.</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>Reparatur</translation>
    </message>
</context>
<context>
    <name>EditController</name>
    <message>
        <source>Unsaved Changes</source>
        <translation>Nicht gespeicherte Änderungen</translation>
    </message>
    <message>
        <source>{0} has changes that are not saved.</source>
        <translation>{0} hat nicht gespeicherte Änderungen.</translation>
    </message>
    <message>
        <source>Text of {0}</source>
        <translation>Text von {0}</translation>
    </message>
    <message>
        <source>{0} cannot be read: {1}</source>
        <translation>{0} ist nicht lesbar: {1}</translation>
    </message>
    <message>
        <source>{0} has more than {1} characters, too many to edit here. Open it in your editor.</source>
        <translation>{0} hat mehr als {1} Zeichen, zu viele zum Bearbeiten hier. Öffnen Sie die Datei in Ihrem Editor.</translation>
    </message>
    <message>
        <source>{0} has a line of more than {1} characters, too long to edit here. Open it in your editor.</source>
        <translation>{0} hat eine Zeile mit mehr als {1} Zeichen, zu lang zum Bearbeiten hier. Öffnen Sie die Datei in Ihrem Editor.</translation>
    </message>
    <message>
        <source>The file was changed elsewhere. Press Esc and edit it again.</source>
        <translation>Die Datei wurde anderswo geändert. Drücken Sie Esc und bearbeiten Sie sie erneut.</translation>
    </message>
    <message>
        <source>{0} cannot be saved: {1}</source>
        <translation>{0} kann nicht gespeichert werden: {1}</translation>
    </message>
    <message>
        <source>{0} runs without an error now. Check compares its gradients (Jacobians).</source>
        <translation>{0} läuft jetzt ohne Fehler. „Prüfen“ vergleicht die Gradienten (Jacobi).</translation>
    </message>
    <message>
        <source>Press Ctrl+S to save the changes, or Esc again to discard them.</source>
        <translation>Mit Strg+S die Änderungen speichern oder mit erneutem Esc verwerfen.</translation>
    </message>
</context>
<context>
    <name>EditorController</name>
    <message>
        <source>No editor could be started. Set one in File &gt; Settings, for example {example}.</source>
        <translation>Es ließ sich kein Editor starten. Legen Sie unter Datei &gt; Einstellungen einen fest, zum Beispiel {example}.</translation>
    </message>
    <message>
        <source>{name} has changed since it was recorded: line {line} may not be the same now.</source>
        <translation>{name} hat sich seit der Aufzeichnung geändert: Zeile {line} ist vielleicht nicht mehr dieselbe.</translation>
    </message>
</context>
<context>
    <name>ElementCard</name>
    <message>
        <source>All nonzero numbers of this Jacobian are elements of this tensor, in one order</source>
        <translation>Alle Zahlen dieser Jacobi-Matrix außer 0 sind Elemente dieses Tensors, in einer Reihenfolge</translation>
    </message>
    <message>
        <source>Element</source>
        <translation>Element</translation>
    </message>
    <message>
        <source>Nothing to compare: the matrix is empty.</source>
        <translation>Nichts zu vergleichen: Die Matrix ist leer.</translation>
    </message>
    <message>
        <source>allowed</source>
        <translation>erlaubt</translation>
    </message>
    <message>
        <source>Pinned. Click it again or press Escape to unpin it.</source>
        <translation>Angeheftet. Erneuter Klick oder Esc löst es.</translation>
    </message>
    <message>
        <source>Click an element or press Enter to pin it.</source>
        <translation>Zum Anheften klicken oder Eingabetaste drücken.</translation>
    </message>
    <message>
        <source>forward uses {forward}, backward uses {backward}</source>
        <translation>forward verwendet {forward}, backward verwendet {backward}</translation>
    </message>
    <message>
        <source>forward and backward use {forward}</source>
        <translation>forward und backward verwenden {forward}</translation>
    </message>
    <message>
        <source>forward uses {forward}</source>
        <translation>forward verwendet {forward}</translation>
    </message>
    <message>
        <source>backward uses {backward}</source>
        <translation>backward verwendet {backward}</translation>
    </message>
</context>
<context>
    <name>ElementPatch</name>
    <message>
        <source>{name} {shape}</source>
        <translation>{name} {shape}</translation>
    </message>
    <message>
        <source>{name} {shape}, at [{before}, …]</source>
        <translation>{name} {shape}, bei [{before}, …]</translation>
    </message>
    <message>
        <source>{element} is {value}</source>
        <translation>{element} ist {value}</translation>
    </message>
</context>
<context>
    <name>ErrorDialog</name>
    <message>
        <source>Error in gradviz</source>
        <translation>Fehler in gradviz</translation>
    </message>
    <message>
        <source>An error occurred in gradviz itself, not in your code. You can continue, but the view may be incomplete. Please report the error with the text below.</source>
        <translation>In gradviz selbst ist ein Fehler aufgetreten, nicht in Ihrem Code. Sie können weiterarbeiten, aber die Ansicht ist vielleicht unvollständig. Bitte melden Sie den Fehler mit dem Text unten.</translation>
    </message>
    <message>
        <source>Error report</source>
        <translation>Fehlerbericht</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>Copy the whole report</source>
        <translation>Ganzen Bericht kopieren</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
</context>
<context>
    <name>ExternalEditor</name>
    <message>
        <source>This Python file does not exist on this machine: {path}</source>
        <translation>Diese Python-Datei gibt es auf diesem Rechner nicht: {path}</translation>
    </message>
</context>
<context>
    <name>FileController</name>
    <message>
        <source>Saved {0}.</source>
        <translation>{0} gespeichert.</translation>
    </message>
    <message>
        <source>{0} cannot be written: {1}.</source>
        <translation>{0} kann nicht geschrieben werden: {1}.</translation>
    </message>
    <message>
        <source>Python files, notebooks, traces and lessons (*.py *.ipynb *.gradviz *.gradviz-lesson)</source>
        <translation>Python-Dateien, Notebooks, Traces und Lektionen (*.py *.ipynb *.gradviz *.gradviz-lesson)</translation>
    </message>
    <message>
        <source>Save Trace As</source>
        <translation>Trace speichern unter</translation>
    </message>
    <message>
        <source>Traces (*.gradviz)</source>
        <translation>Traces (*.gradviz)</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open in New Window</source>
        <translation>In neuem Fenster öffnen</translation>
    </message>
    <message>
        <source>Export Graph</source>
        <translation>Graph exportieren</translation>
    </message>
    <message>
        <source>Export Tensors</source>
        <translation>Tensoren exportieren</translation>
    </message>
    <message>
        <source>Export Film</source>
        <translation>Film exportieren</translation>
    </message>
    <message>
        <source>Export Run as HTML Page</source>
        <translation>Lauf als HTML-Seite exportieren</translation>
    </message>
</context>
<context>
    <name>FileDrop</name>
    <message>
        <source>Drop to open {0}</source>
        <translation>Loslassen, um {0} zu öffnen</translation>
    </message>
    <message numerus="yes">
        <source>Drop to open %Ln file(s), each in its own window</source>
        <translation>
            <numerusform>Loslassen, um %Ln Datei in eigenem Fenster zu öffnen</numerusform>
            <numerusform>Loslassen, um %Ln Dateien zu öffnen, jede in eigenem Fenster</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FileKinds</name>
    <message>
        <source>{0} is a pipe or device, not a regular file.</source>
        <translation>{0} ist eine Pipe oder ein Gerät, keine reguläre Datei.</translation>
    </message>
    <message>
        <source>{0} is not a Python file (.py), a notebook (.ipynb), a trace (.gradviz) or a lesson (.gradviz-lesson).</source>
        <translation>{0} ist weder Python-Datei (.py) noch Notebook (.ipynb), Trace (.gradviz) oder Lektion (.gradviz-lesson).</translation>
    </message>
</context>
<context>
    <name>FilmProgress</name>
    <message>
        <source>Export Film</source>
        <translation>Film exportieren</translation>
    </message>
    <message>
        <source>Exporting {0}</source>
        <translation>{0} wird exportiert</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>FindController</name>
    <message>
        <source>Find nodes, tensors and steps by name, shape, dtype, module and values</source>
        <translation>Knoten, Tensoren und Schritte nach Name, Shape, dtype, Modul und Werten suchen</translation>
    </message>
    <message>
        <source>There is nothing to search yet.</source>
        <translation>Es gibt noch nichts zu durchsuchen.</translation>
    </message>
    <message>
        <source>Find nodes, tensors and steps. Examples:</source>
        <translation>Knoten, Tensoren und Schritte suchen. Beispiele:</translation>
    </message>
    <message>
        <source>Nothing matches {0}. Examples of searches:</source>
        <translation>Keine Treffer für {0}. Beispiele für Suchanfragen:</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln match(es)</source>
        <translation>
            <numerusform>%Ln Treffer</numerusform>
            <numerusform>%Ln Treffer</numerusform>
        </translation>
    </message>
    <message>
        <source>no matches</source>
        <translation>keine Treffer</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>Suche läuft…</translation>
    </message>
    <message>
        <source>Searching the values: {0} of {1} tensors</source>
        <translation>Werte werden durchsucht: {0} von {1} Tensoren</translation>
    </message>
</context>
<context>
    <name>FindField</name>
    <message>
        <source>Find a node, tensor, step…</source>
        <translation>Knoten, Tensor, Schritt suchen…</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>Suchen</translation>
    </message>
</context>
<context>
    <name>FindPanel</name>
    <message>
        <source>Examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>Treffer</translation>
    </message>
    <message numerus="yes">
        <source>The values of %Ln tensor(s) were not recorded; they may match, too.</source>
        <translation>
            <numerusform>Die Werte von %Ln Tensor wurden nicht aufgezeichnet; auch er könnte passen.</numerusform>
            <numerusform>Die Werte von %Ln Tensoren wurden nicht aufgezeichnet; auch sie könnten passen.</numerusform>
        </translation>
    </message>
    <message>
        <source>part of the name of a node, leaf, tensor or module</source>
        <translation>Teil des Namens eines Knotens, Blattes, Tensors oder Moduls</translation>
    </message>
    <message>
        <source>a tensor of this shape; *x3 for any number of rows</source>
        <translation>ein Tensor dieser Shape; *x3 für beliebig viele Zeilen</translation>
    </message>
    <message>
        <source>NaN values; also has Inf, has saved</source>
        <translation>NaN-Werte; ebenso möglich: has Inf, has saved</translation>
    </message>
    <message>
        <source>created in this module or one inside it</source>
        <translation>in diesem Modul oder einem darin erzeugt</translation>
    </message>
    <message>
        <source>also builtin and leaf; dtype:float32 and step:12 work as well</source>
        <translation>auch builtin und leaf; ebenso möglich: dtype:float32 und step:12</translation>
    </message>
    <message>
        <source>a regular expression in Python syntax</source>
        <translation>ein regulärer Ausdruck in Python-Syntax</translation>
    </message>
    <message>
        <source>step {0}</source>
        <translation>Schritt {0}</translation>
    </message>
</context>
<context>
    <name>FindingPage</name>
    <message>
        <source>Show repair…</source>
        <translation>Reparatur zeigen…</translation>
    </message>
    <message>
        <source>Open in Guide</source>
        <translation>Im Leitfaden öffnen</translation>
    </message>
    <message>
        <source>About the finding</source>
        <translation>Zum Befund</translation>
    </message>
    <message>
        <source>How to fix it: {0}</source>
        <translation>Abhilfe: {0}</translation>
    </message>
    <message>
        <source>Repeats, as in a loop, are listed once, at their first occurrence.</source>
        <translation>Wiederholungen, etwa in einer Schleife, stehen nur einmal hier, bei ihrem ersten Auftreten.</translation>
    </message>
    <message>
        <source>Go to {0}</source>
        <translation>Zu {0}</translation>
    </message>
</context>
<context>
    <name>FindingsColumn</name>
    <message>
        <source>Sample This Element</source>
        <translation>Dieses Element abtasten</translation>
    </message>
    <message>
        <source>Check again, and draw the function along the pinned element</source>
        <translation>Erneut prüfen und die Funktion entlang des fixierten Elements zeichnen</translation>
    </message>
    <message>
        <source>Other incoming gradients</source>
        <translation>Andere eingehende Gradienten</translation>
    </message>
    <message>
        <source>Input variations</source>
        <translation>Eingabevariationen</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>Befunde</translation>
    </message>
    <message>
        <source>Worst elements</source>
        <translation>Größte Fehler</translation>
    </message>
    <message>
        <source>Function and slopes</source>
        <translation>Funktion und Steigungen</translation>
    </message>
    <message>
        <source>Error vs. eps</source>
        <translation>Fehler über eps</translation>
    </message>
    <message>
        <source>about the whole function</source>
        <translation>zur ganzen Funktion</translation>
    </message>
</context>
<context>
    <name>FirstHint</name>
    <message>
        <source>{0}: next step, {1}: previous step. {2} shows all keyboard shortcuts.</source>
        <translation>{0}: nächster Schritt, {1}: voriger Schritt. {2} zeigt alle Tastenkürzel.</translation>
    </message>
</context>
<context>
    <name>FoldController</name>
    <message>
        <source>Close {0}</source>
        <translation>{0} zuklappen</translation>
    </message>
</context>
<context>
    <name>GraphLegend</name>
    <message>
        <source>Legend</source>
        <translation>Legende</translation>
    </message>
    <message>
        <source>Hide the legend</source>
        <translation>Legende verbergen</translation>
    </message>
</context>
<context>
    <name>GraphPanel</name>
    <message>
        <source>Please wait</source>
        <translation>Bitte warten</translation>
    </message>
    <message>
        <source>The graph appears here when the run has finished.</source>
        <translation>Der Graph erscheint hier, wenn der Lauf beendet ist.</translation>
    </message>
    <message>
        <source>The graph appears here when the recording has been read.</source>
        <translation>Der Graph erscheint hier, wenn die Aufzeichnung gelesen ist.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>Nothing to show yet</source>
        <translation>Noch nichts zu zeigen</translation>
    </message>
    <message>
        <source>Choose a scene in the library, or drop a Python file or a trace on this window.</source>
        <translation>Eine Szene in der Bibliothek wählen oder eine Python-Datei oder einen Trace auf dieses Fenster ziehen.</translation>
    </message>
    <message>
        <source>No graph</source>
        <translation>Kein Graph</translation>
    </message>
    <message>
        <source>This run created no autograd nodes. Autograd creates them for tensors that require a gradient, outside of torch.no_grad().</source>
        <translation>Dieser Lauf hat keine autograd-Knoten erzeugt. Autograd erzeugt sie für Tensoren mit requires_grad, außerhalb von torch.no_grad().</translation>
    </message>
    <message>
        <source>Run executes it with the values in Inputs.</source>
        <translation>Ausführen startet es mit den Werten unter Eingaben.</translation>
    </message>
    <message>
        <source>Laying out the graph…</source>
        <translation>Graph wird angeordnet…</translation>
    </message>
    <message>
        <source>You can use the steps and the inspector meanwhile.</source>
        <translation>Schritte und Inspektor sind währenddessen nutzbar.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cannot open the group</source>
        <translation>Gruppe lässt sich nicht aufklappen</translation>
    </message>
    <message>
        <source>Back to Graph</source>
        <translation>Zurück zum Graphen</translation>
    </message>
    <message>
        <source>Cannot show the graph</source>
        <translation>Graph lässt sich nicht zeigen</translation>
    </message>
    <message>
        <source>Try Again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>The layout was canceled.</source>
        <translation>Das Anordnen wurde abgebrochen.</translation>
    </message>
    <message>
        <source>Lay Out Graph</source>
        <translation>Graph anordnen</translation>
    </message>
</context>
<context>
    <name>GraphStage</name>
    <message>
        <source>breakpoint</source>
        <translation>Haltepunkt</translation>
    </message>
</context>
<context>
    <name>GraphToolbar</name>
    <message>
        <source>Legend</source>
        <translation>Legende</translation>
    </message>
    <message>
        <source>Show what the signs mean</source>
        <translation>Bedeutung der Zeichen zeigen</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Herauszoomen</translation>
    </message>
    <message>
        <source>Show at 100%</source>
        <translation>Mit 100 % zeigen</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Hineinzoomen</translation>
    </message>
    <message>
        <source>Center the current node</source>
        <translation>Aktuellen Knoten zentrieren</translation>
    </message>
    <message>
        <source>{0} again</source>
        <translation>{0} erneut</translation>
    </message>
    <message>
        <source>Show the whole graph</source>
        <translation>Ganzen Graphen zeigen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln node(s)</source>
        <translation>
            <numerusform>%Ln Knoten</numerusform>
            <numerusform>%Ln Knoten</numerusform>
        </translation>
    </message>
    <message>
        <source>{0} in closed groups</source>
        <translation>{0} in zugeklappten Gruppen</translation>
    </message>
    <message>
        <source>too large to read: {0} enlarges the current node</source>
        <translation>zu groß zum Lesen: {0} vergrößert den aktuellen Knoten</translation>
    </message>
</context>
<context>
    <name>GraphView</name>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
</context>
<context>
    <name>Guide</name>
    <message>
        <source>Go to step {target}</source>
        <translation>Zu Schritt {target}</translation>
    </message>
    <message>
        <source>Run the scene {target}</source>
        <translation>Szene {target} ausführen</translation>
    </message>
    <message>
        <source>Open the page {target}</source>
        <translation>Seite {target} öffnen</translation>
    </message>
    <message>
        <source>Compare with the scene {target}</source>
        <translation>Mit der Szene {target} vergleichen</translation>
    </message>
    <message>
        <source>Check the gradients numerically</source>
        <translation>Gradienten numerisch prüfen</translation>
    </message>
    <message>
        <source>Check the second derivatives numerically</source>
        <translation>Zweite Ableitungen numerisch prüfen</translation>
    </message>
    <message>
        <source>Show the {target} panel</source>
        <translation>Bereich {target} zeigen</translation>
    </message>
</context>
<context>
    <name>GuideFooter</name>
    <message>
        <source>Previous Page</source>
        <translation>Vorige Seite</translation>
    </message>
    <message>
        <source>Next Page</source>
        <translation>Nächste Seite</translation>
    </message>
    <message>
        <source>Previous page</source>
        <translation>Vorige Seite</translation>
    </message>
    <message>
        <source>Next page</source>
        <translation>Nächste Seite</translation>
    </message>
</context>
<context>
    <name>GuideHeader</name>
    <message>
        <source>Go back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Go forward</source>
        <translation>Vorwärts</translation>
    </message>
</context>
<context>
    <name>GuidePanel</name>
    <message>
        <source>Guide</source>
        <translation>Leitfaden</translation>
    </message>
</context>
<context>
    <name>HeadButtons</name>
    <message>
        <source>Enlarge</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Enlarge (Enter)</source>
        <translation>Vergrößern (Eingabetaste)</translation>
    </message>
    <message>
        <source>Copy and more</source>
        <translation>Kopieren und mehr</translation>
    </message>
    <message>
        <source>Copy as Python, CSV or LaTeX, save (menu key)</source>
        <translation>Als Python, CSV oder LaTeX kopieren, speichern (Menütaste)</translation>
    </message>
</context>
<context>
    <name>Heatmap</name>
    <message>
        <source>Heatmap of {name}</source>
        <translation>Heatmap von {name}</translation>
    </message>
    <message>
        <source>Arrow keys: move from cell to cell. Enter: pin the element.</source>
        <translation>Pfeiltasten: von Zelle zu Zelle. Eingabetaste: Element anheften.</translation>
    </message>
    <message>
        <source>Shift+arrow keys: move from cell to cell. Enter: enlarge.</source>
        <translation>Umschalt+Pfeiltasten: von Zelle zu Zelle. Eingabetaste: vergrößern.</translation>
    </message>
</context>
<context>
    <name>HiddenTensor</name>
    <message>
        <source>{name}: hidden until revealed</source>
        <translation>{name}: verborgen bis zum Aufdecken</translation>
    </message>
</context>
<context>
    <name>HistogramView</name>
    <message>
        <source>Histogram of {name}</source>
        <translation>Histogramm von {name}</translation>
    </message>
    <message>
        <source>Left and Right: move from bar to bar.</source>
        <translation>Pfeil links/rechts: von Balken zu Balken.</translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>Origin</source>
        <translation>Ursprung</translation>
    </message>
    <message>
        <source>Versions of the tensor&apos;s memory</source>
        <translation>Speicherversionen des Tensors</translation>
    </message>
    <message>
        <source>Finding versions…</source>
        <translation>Suche nach Versionen…</translation>
    </message>
    <message>
        <source>The history cannot be found: {reason}</source>
        <translation>Der Verlauf lässt sich nicht finden: {reason}</translation>
    </message>
    <message>
        <source>The memory of {name} was not recorded.</source>
        <translation>Der Speicher von {name} wurde nicht aufgezeichnet.</translation>
    </message>
    <message numerus="yes">
        <source>History of {name}: %Ln version(s)</source>
        <translation>
            <numerusform>Verlauf von {name}: %Ln Version</numerusform>
            <numerusform>Verlauf von {name}: %Ln Versionen</numerusform>
        </translation>
    </message>
    <message>
        <source>History of {name}: one version so far</source>
        <translation>Verlauf von {name}: bisher eine Version</translation>
    </message>
    <message>
        <source>History of {name}: one version. No in-place change was recorded.</source>
        <translation>Verlauf von {name}: eine Version. Keine In-place-Änderung wurde aufgezeichnet.</translation>
    </message>
    <message>
        <source>History of a tensor</source>
        <translation>Verlauf eines Tensors</translation>
    </message>
    <message>
        <source>Hidden in quiz mode until the answer is revealed.</source>
        <translation>Im Quizmodus verborgen, bis die Antwort aufgedeckt wird.</translation>
    </message>
    <message>
        <source>This page lists the versions of a tensor&apos;s memory and what created each of them. To open it, choose History of This Tensor in a tensor&apos;s menu.</source>
        <translation>Diese Seite zeigt die Versionen des Speichers eines Tensors und was sie jeweils erzeugt hat. Zum Öffnen wählen Sie im Menü eines Tensors „Verlauf dieses Tensors“.</translation>
    </message>
</context>
<context>
    <name>HoverController</name>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
</context>
<context>
    <name>IndexBox</name>
    <message>
        <source>dim {axis}: </source>
        <translation>dim {axis}: </translation>
    </message>
    <message>
        <source> of {size}</source>
        <translation> von {size}</translation>
    </message>
    <message>
        <source>Index in dimension {axis}</source>
        <translation>Index in Dimension {axis}</translation>
    </message>
    <message>
        <source>Slice of dimension {axis} to show (Up, Down)</source>
        <translation>Zu zeigender Slice von Dimension {axis} (Pfeil auf/ab)</translation>
    </message>
</context>
<context>
    <name>Inputs</name>
    <message>
        <source>{0} is stored as {1} in {2}.</source>
        <translation>{0} wird in {2} als {1} gespeichert.</translation>
    </message>
    <message>
        <source>Enter a number.</source>
        <translation>Zahl eingeben.</translation>
    </message>
    <message>
        <source>{0}: use a decimal point, and no commas.</source>
        <translation>{0}: Dezimalpunkt und keine Kommas verwenden.</translation>
    </message>
    <message>
        <source>In Python, write {0}.</source>
        <translation>In Python schreibt man {0}.</translation>
    </message>
    <message>
        <source>{0} is larger than the largest float; write inf for infinity.</source>
        <translation>{0} ist größer als der größte float; schreiben Sie inf für unendlich.</translation>
    </message>
    <message>
        <source>{0} is not a number.</source>
        <translation>{0} ist keine Zahl.</translation>
    </message>
    <message>
        <source>{0} has a fraction, but {1} holds only integers.</source>
        <translation>{0} hat Nachkommastellen, aber {1} speichert nur ganze Zahlen.</translation>
    </message>
    <message>
        <source>{0} cannot hold {1}.</source>
        <translation>{0} kann {1} nicht speichern.</translation>
    </message>
    <message>
        <source>{0} is complex, but {1} holds only real numbers.</source>
        <translation>{0} ist komplex, aber {1} speichert nur reelle Zahlen.</translation>
    </message>
    <message>
        <source>{0} is neither True nor False.</source>
        <translation>{0} ist weder True noch False.</translation>
    </message>
    <message>
        <source>{0} does not fit in {1}, whose range is {2} to {3}.</source>
        <translation>{0} passt nicht in {1} mit dem Bereich {2} bis {3}.</translation>
    </message>
    <message>
        <source>{0} does not fit in {1}.</source>
        <translation>{0} passt nicht in {1}.</translation>
    </message>
    <message>
        <source>Random elements, drawn during the run with seed {0}.</source>
        <translation>Zufällige Elemente, während des Laufs mit Seed {0} gezogen.</translation>
    </message>
    <message>
        <source>As created by the file; choose another fill to change it.</source>
        <translation>Wie von der Datei erzeugt; zum Ändern eine andere Füllung wählen.</translation>
    </message>
    <message>
        <source>Only tensors of up to {0} elements are shown here.</source>
        <translation>Nur Tensoren bis {0} Elemente werden hier gezeigt.</translation>
    </message>
    <message>
        <source>The pasted text is too long.</source>
        <translation>Der eingefügte Text ist zu lang.</translation>
    </message>
    <message>
        <source>The clipboard contains no text.</source>
        <translation>Die Zwischenablage enthält keinen Text.</translation>
    </message>
    <message>
        <source>The pasted text omits elements (...). Paste every element.</source>
        <translation>Der eingefügte Text lässt Elemente aus (...). Fügen Sie alle Elemente ein.</translation>
    </message>
    <message>
        <source>The pasted text has {1} elements; the grid can hold up to {0}.</source>
        <translation>Der eingefügte Text hat {1} Elemente; das Raster fasst bis zu {0}.</translation>
    </message>
    <message>
        <source>A block of {0} × {1} elements does not fit at [{2}, {3}].</source>
        <translation>Ein Block von {0} × {1} Elementen passt nicht bei [{2}, {3}].</translation>
    </message>
    <message>
        <source>A shape can have at most {0} dimensions here.</source>
        <translation>Eine Shape kann hier höchstens {0} Dimensionen haben.</translation>
    </message>
    <message>
        <source>The pasted text is missing a closing bracket.</source>
        <translation>Im eingefügten Text fehlt eine schließende Klammer.</translation>
    </message>
    <message>
        <source>The lists in the pasted text have different lengths.</source>
        <translation>Die Listen im eingefügten Text sind verschieden lang.</translation>
    </message>
    <message>
        <source>The lines of the pasted text have different lengths.</source>
        <translation>Die Zeilen des eingefügten Textes sind verschieden lang.</translation>
    </message>
    <message>
        <source>An element in the pasted text is empty.</source>
        <translation>Ein Element im eingefügten Text ist leer.</translation>
    </message>
    <message>
        <source>The pasted text contains no elements.</source>
        <translation>Der eingefügte Text enthält keine Elemente.</translation>
    </message>
    <message>
        <source>{0} in the pasted text is not a number.</source>
        <translation>{0} im eingefügten Text ist keine Zahl.</translation>
    </message>
    <message>
        <source>Element {0}: {1}</source>
        <translation>Element {0}: {1}</translation>
    </message>
    <message>
        <source>&amp;Copy as torch.tensor(…)</source>
        <translation>Als torch.tensor(…) &amp;kopieren</translation>
    </message>
    <message>
        <source>&amp;Paste Elements</source>
        <translation>Elemente &amp;einfügen</translation>
    </message>
    <message>
        <source>&amp;Reset</source>
        <translation>&amp;Zurücksetzen</translation>
    </message>
    <message>
        <source>scalar</source>
        <translation>Skalar</translation>
    </message>
    <message>
        <source>grad</source>
        <translation>grad</translation>
    </message>
    <message>
        <source>shape {0}, {1}, {2}, requires grad</source>
        <translation>Shape {0}, {1}, {2}, mit requires_grad</translation>
    </message>
    <message>
        <source>shape {0}, {1}, {2}, does not require grad</source>
        <translation>Shape {0}, {1}, {2}, ohne requires_grad</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>backward</translation>
    </message>
    <message>
        <source>output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>A tensor with the elements below</source>
        <translation>Ein Tensor mit den Elementen unten</translation>
    </message>
    <message>
        <source>None, for instance for a bias that is left out</source>
        <translation>None, zum Beispiel für einen weggelassenen bias</translation>
    </message>
    <message>
        <source>literal</source>
        <translation>Literal</translation>
    </message>
    <message>
        <source>A Python literal: a number, a string, a list …</source>
        <translation>Ein Python-Literal: eine Zahl, ein String, eine Liste …</translation>
    </message>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>A tensor in a file of NumPy, torch or safetensors</source>
        <translation>Ein Tensor in einer Datei von NumPy, torch oder safetensors</translation>
    </message>
    <message>
        <source>can require gradients</source>
        <translation>requires_grad möglich</translation>
    </message>
    <message>
        <source>cannot require gradients</source>
        <translation>requires_grad nicht möglich</translation>
    </message>
    <message>
        <source>0, 1, 2 and so on, row by row: torch.arange(…).reshape(…)</source>
        <translation>0, 1, 2 und so weiter, Zeile für Zeile: torch.arange(…).reshape(…)</translation>
    </message>
    <message>
        <source>Evenly spaced from start to end: torch.linspace(…).reshape(…)</source>
        <translation>In gleichen Abständen von start bis end: torch.linspace(…).reshape(…)</translation>
    </message>
    <message>
        <source>All 0: torch.zeros</source>
        <translation>Alle 0: torch.zeros</translation>
    </message>
    <message>
        <source>All 1: torch.ones</source>
        <translation>Alle 1: torch.ones</translation>
    </message>
    <message>
        <source>All the same number: torch.full</source>
        <translation>Alle dieselbe Zahl: torch.full</translation>
    </message>
    <message>
        <source>1 on the diagonal, 0 elsewhere: torch.eye</source>
        <translation>1 auf der Diagonale, sonst 0: torch.eye</translation>
    </message>
    <message>
        <source>Random numbers from the standard normal distribution: torch.randn</source>
        <translation>Zufallszahlen aus der Standardnormalverteilung: torch.randn</translation>
    </message>
    <message>
        <source>Random numbers from the uniform distribution on [0, 1): torch.rand</source>
        <translation>Zufallszahlen aus der Gleichverteilung auf [0, 1): torch.rand</translation>
    </message>
    <message>
        <source>Random integers from low to below high: torch.randint</source>
        <translation>Ganze Zufallszahlen von low bis unter high: torch.randint</translation>
    </message>
    <message>
        <source>Typed one by one, or pasted</source>
        <translation>Einzeln eingegeben oder eingefügt</translation>
    </message>
    <message>
        <source>As created by the file</source>
        <translation>Wie von der Datei erzeugt</translation>
    </message>
    <message>
        <source>sum</source>
        <translation>sum</translation>
    </message>
    <message>
        <source>ones</source>
        <translation>ones</translation>
    </message>
    <message>
        <source>randn</source>
        <translation>randn</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keiner</translation>
    </message>
    <message>
        <source>The code runs its own backward passes</source>
        <translation>Der Code führt eigene Backward-Durchläufe aus</translation>
    </message>
    <message>
        <source>by the code</source>
        <translation>durch den Code</translation>
    </message>
    <message>
        <source>The code calls backward itself, so gradviz starts no backward pass.</source>
        <translation>Der Code ruft backward selbst auf, daher startet gradviz keinen Backward-Durchlauf.</translation>
    </message>
    <message>
        <source>The backward pass starts at the sum of output {0}, with the gradient 1. Other outputs get no gradient.</source>
        <translation>Der Backward-Durchlauf beginnt an der Summe von Ausgabe {0}, mit dem Gradienten 1. Andere Ausgaben erhalten keinen Gradienten.</translation>
    </message>
    <message>
        <source>The backward pass starts at output {0}, with a gradient of ones.</source>
        <translation>Der Backward-Durchlauf beginnt an Ausgabe {0}, mit einem Gradienten aus Einsen.</translation>
    </message>
    <message>
        <source>The backward pass starts at output {0}, with a random gradient (seed {1}).</source>
        <translation>Der Backward-Durchlauf beginnt an Ausgabe {0}, mit einem zufälligen Gradienten (Seed {1}).</translation>
    </message>
    <message>
        <source>gradviz starts no backward pass. The code may run its own.</source>
        <translation>gradviz startet keinen Backward-Durchlauf. Der Code kann eigene ausführen.</translation>
    </message>
    <message>
        <source>A quotation mark is not closed.</source>
        <translation>Ein Anführungszeichen ist nicht geschlossen.</translation>
    </message>
    <message>
        <source>Enter a file that ends in {0}.</source>
        <translation>Datei mit Endung {0} angeben.</translation>
    </message>
    <message>
        <source>low must be less than high; high itself is never drawn.</source>
        <translation>low muss kleiner als high sein; high selbst wird nie gezogen.</translation>
    </message>
    <message>
        <source>{0} goes from {1} to {2}. high may be one more than that.</source>
        <translation>{0} reicht von {1} bis {2}. high darf um eins größer sein.</translation>
    </message>
    <message>
        <source>{0} cannot represent every integer above {1}, so arange is rounded there.</source>
        <translation>{0} kann nicht jede ganze Zahl über {1} darstellen, daher wird arange dort gerundet.</translation>
    </message>
    <message>
        <source>The shape has {1} elements; the grid can hold up to {0}.</source>
        <translation>Die Shape hat {1} Elemente; das Raster fasst bis zu {0}.</translation>
    </message>
    <message>
        <source>eye needs a shape with two sizes, like 3×3.</source>
        <translation>eye braucht eine Shape mit zwei Größen, wie 3×3.</translation>
    </message>
    <message>
        <source>{0} creates fractions, but {1} holds only integers.</source>
        <translation>{0} erzeugt gebrochene Zahlen, aber {1} speichert nur ganze Zahlen.</translation>
    </message>
    <message>
        <source>arange would count to {0}, but {1} ends at {2}.</source>
        <translation>arange würde bis {0} zählen, aber {1} endet bei {2}.</translation>
    </message>
    <message>
        <source>state dict</source>
        <translation>state_dict</translation>
    </message>
    <message>
        <source>mode</source>
        <translation>Modus</translation>
    </message>
    <message>
        <source>given (mixed)</source>
        <translation>vorgegeben (gemischt)</translation>
    </message>
    <message>
        <source>As created by the file: submodules differ</source>
        <translation>Wie von der Datei erzeugt: Untermodule sind verschieden</translation>
    </message>
    <message>
        <source>given ({0})</source>
        <translation>vorgegeben ({0})</translation>
    </message>
    <message>
        <source>This shape has {0} elements; the limit is {1}.</source>
        <translation>Diese Shape hat {0} Elemente; erlaubt sind höchstens {1}.</translation>
    </message>
    <message>
        <source>A size is missing. Write a shape as 2×3.</source>
        <translation>Eine Größe fehlt. Shape in der Form 2×3 schreiben.</translation>
    </message>
    <message>
        <source>{0} is not a valid size. Sizes must be 0 or more.</source>
        <translation>{0} ist keine gültige Größe. Größen müssen 0 oder größer sein.</translation>
    </message>
    <message>
        <source>Write a shape as 2×3, or leave it empty for a single number.</source>
        <translation>Shape in der Form 2×3 schreiben; für eine einzelne Zahl leer lassen.</translation>
    </message>
    <message>
        <source>Enter a Python literal, like 3, &apos;mean&apos; or (1, 2).</source>
        <translation>Python-Literal eingeben, wie 3, &apos;mean&apos; oder (1, 2).</translation>
    </message>
    <message>
        <source>The literal is too long; the limit is {0} characters.</source>
        <translation>Das Literal ist zu lang; erlaubt sind höchstens {0} Zeichen.</translation>
    </message>
    <message>
        <source>{0} is a name; a string needs quotes: &apos;{0}&apos;.</source>
        <translation>{0} ist ein Name; ein String braucht Anführungszeichen: &apos;{0}&apos;.</translation>
    </message>
    <message>
        <source>This is not a Python literal. Write a number, string, list, tuple or dict.</source>
        <translation>Das ist kein Python-Literal. Zahl, String, Liste, Tupel oder Dict eingeben.</translation>
    </message>
    <message>
        <source>arguments</source>
        <translation>Argumente</translation>
    </message>
</context>
<context>
    <name>InputsForm</name>
    <message>
        <source>Select a scene to see its inputs here.</source>
        <translation>Szene wählen, um hier ihre Eingaben zu sehen.</translation>
    </message>
    <message>
        <source>made inputs</source>
        <translation>erzeugte Eingaben</translation>
    </message>
    <message>
        <source>Inputs are created on {0}.</source>
        <translation>Eingaben werden auf {0} erzeugt.</translation>
    </message>
    <message>
        <source>reset of all inputs</source>
        <translation>Zurücksetzen aller Eingaben</translation>
    </message>
    <message>
        <source>An opened trace has no inputs to edit.</source>
        <translation>Ein geöffneter Trace hat keine änderbaren Eingaben.</translation>
    </message>
    <message>
        <source>It takes no inputs.</source>
        <translation>Es gibt keine Eingaben.</translation>
    </message>
    <message>
        <source>These are not the scene&apos;s original inputs.</source>
        <translation>Das sind nicht die ursprünglichen Eingaben der Szene.</translation>
    </message>
    <message>
        <source>These are not the file&apos;s original inputs.</source>
        <translation>Das sind nicht die ursprünglichen Eingaben der Datei.</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>Eingaben</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>start of backward</source>
        <translation>Start von backward</translation>
    </message>
    <message>
        <source>state dict</source>
        <translation>state_dict</translation>
    </message>
    <message>
        <source>mode</source>
        <translation>Modus</translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>The values of each step appear here.</source>
        <translation>Hier erscheinen die Werte jedes Schritts.</translation>
    </message>
    <message>
        <source>Values of the step</source>
        <translation>Werte des Schritts</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>Inspektor</translation>
    </message>
    <message>
        <source>Loading elements…</source>
        <translation>Elemente werden geladen…</translation>
    </message>
    <message>
        <source>Created in step {number}; click to go there.</source>
        <translation>In Schritt {number} erzeugt; ein Klick führt dorthin.</translation>
    </message>
    <message>
        <source>from step {number}</source>
        <translation>aus Schritt {number}</translation>
    </message>
</context>
<context>
    <name>InspectorHeader</name>
    <message>
        <source>Whole sentence</source>
        <translation>Ganzer Satz</translation>
    </message>
    <message>
        <source>Show the whole sentence (Space)</source>
        <translation>Den ganzen Satz zeigen (Leertaste)</translation>
    </message>
    <message>
        <source>Back to current step</source>
        <translation>Zurück zum aktuellen Schritt</translation>
    </message>
    <message>
        <source>Show the node of the current step again (Space)</source>
        <translation>Wieder den Knoten des aktuellen Schritts zeigen (Leertaste)</translation>
    </message>
</context>
<context>
    <name>IterationPlot</name>
    <message>
        <source>Curves over the iterations</source>
        <translation>Kurven über die Iterationen</translation>
    </message>
    <message>
        <source>iteration {0}</source>
        <translation>Iteration {0}</translation>
    </message>
    <message>
        <source>its steps were not recorded; ticks mark those that were</source>
        <translation>ihre Schritte wurden nicht aufgezeichnet; Striche markieren die aufgezeichneten</translation>
    </message>
    <message>
        <source>up to {0} (log)</source>
        <translation>bis {0} (log)</translation>
    </message>
    <message>
        <source>up to {0}</source>
        <translation>bis {0}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>{0} to {1}</source>
        <translation>{0} bis {1}</translation>
    </message>
    <message>
        <source>log scale</source>
        <translation>logarithmisch</translation>
    </message>
    <message>
        <source>Shift+click: compare the current iteration with it</source>
        <translation>Umschalt+Klick: aktuelle Iteration damit vergleichen</translation>
    </message>
</context>
<context>
    <name>IterationStrip</name>
    <message>
        <source>Iterations</source>
        <translation>Iterationen</translation>
    </message>
    <message>
        <source>iteration {0}</source>
        <translation>Iteration {0}</translation>
    </message>
</context>
<context>
    <name>JacobianView</name>
    <message>
        <source>Nothing to compare: the matrix is empty.</source>
        <translation>Nichts zu vergleichen: Die Matrix ist leer.</translation>
    </message>
    <message>
        <source>{name}: {judgement}</source>
        <translation>{name}: {judgement}</translation>
    </message>
    <message>
        <source>{name}, pinned: {judgement}</source>
        <translation>{name}, angeheftet: {judgement}</translation>
    </message>
    <message>
        <source>First map</source>
        <translation>Erste Matrix</translation>
    </message>
    <message>
        <source>Second map</source>
        <translation>Zweite Matrix</translation>
    </message>
    <message>
        <source>Third map</source>
        <translation>Dritte Matrix</translation>
    </message>
    <message>
        <source>Map: {title}</source>
        <translation>Matrix: {title}</translation>
    </message>
    <message>
        <source>Rows are elements of the input, columns are elements of the output. Numbers are rounded to a hundredth of the tolerance; the exact values are in the report. A corner marks elements outside the tolerance; if the cells are small, bars beside the map mark their rows and columns. Click an element or press Enter to explain it.</source>
        <translation>Zeilen sind Elemente der Eingabe, Spalten sind Elemente der Ausgabe. Zahlen sind auf ein Hundertstel der Toleranz gerundet; die genauen Werte stehen im Bericht. Eine Ecke markiert Elemente außerhalb der Toleranz; bei kleinen Zellen markieren Balken neben der Matrix deren Zeilen und Spalten. Ein Klick auf ein Element oder die Eingabetaste erklärt es.</translation>
    </message>
</context>
<context>
    <name>Jacobians</name>
    <message>
        <source>{headline} Diagnosis: {faults}.</source>
        <translation>{headline} Diagnose: {faults}.</translation>
    </message>
    <message>
        <source>{pair}: {line}</source>
        <translation>{pair}: {line}</translation>
    </message>
    <message>
        <source>The backward has not been checked yet.
Check compares two sets of second derivatives: those from differentiating backward, and those from small changes of each input and of grad_output.</source>
        <translation>Das backward wurde noch nicht geprüft.
„Prüfen“ vergleicht zwei Sätze zweiter Ableitungen: die aus dem Differenzieren von backward und die aus kleinen Änderungen jeder Eingabe und von grad_output.</translation>
    </message>
    <message>
        <source>Nothing has been checked yet.
Check compares the gradient that backward returns with the effect of small changes of each input.</source>
        <translation>Es wurde noch nichts geprüft.
„Prüfen“ vergleicht den Gradienten, den backward zurückgibt, mit der Wirkung kleiner Änderungen jeder Eingabe.</translation>
    </message>
    <message>
        <source>{text}
In this scene, Check tests {name}.</source>
        <translation>{text}
„Prüfen“ testet in dieser Szene {name}.</translation>
    </message>
    <message>
        <source>This scene has no Jacobians to check.
It shows a whole program, not a single function whose gradient could be compared with small changes of its inputs.</source>
        <translation>Diese Szene hat keine Jacobi-Matrizen zum Prüfen.
Sie zeigt ein ganzes Programm, keine einzelne Funktion, deren Gradient sich mit kleinen Änderungen der Eingaben vergleichen ließe.</translation>
    </message>
    <message>
        <source>The check is running; nothing has been compared yet.</source>
        <translation>Die Prüfung läuft; es wurde noch nichts verglichen.</translation>
    </message>
    <message>
        <source>Both Jacobians are computed. The diagnosis is running.</source>
        <translation>Beide Jacobi-Matrizen sind berechnet. Die Diagnose läuft.</translation>
    </message>
    <message>
        <source>Computing: nothing has been compared yet, and hatched areas are still missing.</source>
        <translation>Wird berechnet: Noch ist nichts verglichen, und schraffierte Flächen fehlen noch.</translation>
    </message>
    <message>
        <source>Not finished: hatched areas were not computed, and nothing was compared.</source>
        <translation>Nicht beendet: Schraffierte Flächen wurden nicht berechnet, und nichts wurde verglichen.</translation>
    </message>
    <message>
        <source>not finished</source>
        <translation>nicht beendet</translation>
    </message>
    <message>
        <source>gradgradcheck compares backward only with itself. gradcheck passes here.</source>
        <translation>gradgradcheck vergleicht backward nur mit sich selbst. gradcheck ist hier erfolgreich.</translation>
    </message>
    <message>
        <source>gradgradcheck compares backward only with itself, so a wrong but consistent backward passes. gradcheck fails here.</source>
        <translation>gradgradcheck vergleicht backward nur mit sich selbst. Ein falsches, aber in sich stimmiges backward kommt daher durch. gradcheck schlägt hier fehl.</translation>
    </message>
    <message>
        <source>gradgradcheck compares backward only with itself, so a wrong but consistent backward passes. Run gradcheck too.</source>
        <translation>gradgradcheck vergleicht backward nur mit sich selbst. Ein falsches, aber in sich stimmiges backward kommt daher durch. Führen Sie auch gradcheck aus.</translation>
    </message>
    <message>
        <source>Rule: |analytical − numerical| ≤ {atol} + {rtol} · |numerical|, with eps {eps}</source>
        <translation>Regel: |analytisch − numerisch| ≤ {atol} + {rtol} · |numerisch|, mit eps {eps}</translation>
    </message>
    <message>
        <source>∂ {output} / ∂ {input}</source>
        <translation>∂ {output} / ∂ {input}</translation>
    </message>
    <message>
        <source>∂ {output} ({part} part) / ∂ {input}</source>
        <translation>∂ {output} ({part}-Teil) / ∂ {input}</translation>
    </message>
    <message>
        <source>no elements</source>
        <translation>keine Elemente</translation>
    </message>
    <message>
        <source>{wrong} of {count} outside the tolerance</source>
        <translation>{wrong} von {count} außerhalb der Toleranz</translation>
    </message>
    <message>
        <source>all {count} within the tolerance</source>
        <translation>alle {count} innerhalb der Toleranz</translation>
    </message>
    <message>
        <source>{wrong} of {count} wrong</source>
        <translation>{wrong} von {count} falsch</translation>
    </message>
    <message>
        <source>all {count} agree</source>
        <translation>alle {count} stimmen</translation>
    </message>
    <message>
        <source>within the tolerance</source>
        <translation>innerhalb der Toleranz</translation>
    </message>
    <message>
        <source>outside the tolerance</source>
        <translation>außerhalb der Toleranz</translation>
    </message>
    <message>
        <source>{times} times the tolerance</source>
        <translation>{times}-fache Toleranz</translation>
    </message>
    <message>
        <source>worst element, {judgement}</source>
        <translation>größter Fehler, {judgement}</translation>
    </message>
    <message>
        <source>Effect of small changes of each input, by central differences</source>
        <translation>Wirkung kleiner Änderungen jeder Eingabe, mit zentralen Differenzen</translation>
    </message>
    <message>
        <source>What backward returns, for one element of grad_output at a time</source>
        <translation>Was backward zurückgibt, jeweils für ein Element von grad_output</translation>
    </message>
    <message>
        <source>What jvp returns, for one element of the input at a time</source>
        <translation>Was jvp zurückgibt, jeweils für ein Element der Eingabe</translation>
    </message>
    <message>
        <source>What autograd computes for the reference implementation</source>
        <translation>Was autograd für die Referenzimplementierung berechnet</translation>
    </message>
    <message>
        <source>The analytical Jacobian after the repair that the diagnosis tried</source>
        <translation>Die analytische Jacobi-Matrix nach der Reparatur, die die Diagnose versucht hat</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>Differenz</translation>
    </message>
    <message>
        <source>tolerance</source>
        <translation>Toleranz</translation>
    </message>
    <message>
        <source>spread</source>
        <translation>Streuung</translation>
    </message>
    <message>
        <source>{other} − {base}</source>
        <translation>{other} − {base}</translation>
    </message>
    <message>
        <source>|{other} − {base}| / (atol + rtol · |{base}|): more than 1 is outside</source>
        <translation>|{other} − {base}| / (atol + rtol · |{base}|): mehr als 1 liegt außerhalb</translation>
    </message>
    <message>
        <source>How much repeated backward passes differ</source>
        <translation>Wie stark wiederholte Backward-Durchläufe voneinander abweichen</translation>
    </message>
    <message>
        <source>{input} was changed by ±{eps}: the change of {output} is not finite.</source>
        <translation>{input} wurde um ±{eps} geändert: Die Änderung von {output} ist nicht endlich.</translation>
    </message>
    <message>
        <source>{input} was changed by ±{eps}, which changed {output} by {change}. Divided by {step}, this is {value}.</source>
        <translation>{input} wurde um ±{eps} geändert. Dadurch änderte sich {output} um {change}. Geteilt durch {step} ergibt das {value}.</translation>
    </message>
    <message>
        <source>Backward received a grad_output of 1 at {output} and 0 elsewhere. The gradient of {name} that it returned is {value} at {index}.</source>
        <translation>backward erhielt ein grad_output mit 1 bei {output} und sonst 0. Der zurückgegebene Gradient von {name} ist {value} bei {index}.</translation>
    </message>
    <message>
        <source>Autograd&apos;s backward of the reference implementation, for a grad_output of 1 at {output} and 0 elsewhere, returned {value} at {input}.</source>
        <translation>Für ein grad_output mit 1 bei {output} und sonst 0 gab das Backward von autograd für die Referenzimplementierung bei {input} den Wert {value} zurück.</translation>
    </message>
    <message>
        <source>Forward mode, for a tangent of 1 at {input}, returned {value} at {output}.</source>
        <translation>Mit einer Tangente von 1 bei {input} gab der Forward-Modus bei {output} den Wert {value} zurück.</translation>
    </message>
    <message>
        <source>After the attempted repair, this element is {value}.</source>
        <translation>Nach der versuchten Reparatur ist dieses Element {value}.</translation>
    </message>
    <message>
        <source>Double backward received 1 at {output} and 0 elsewhere. The gradient of {name} that it returned is {value} at {index}.</source>
        <translation>Das doppelte Backward erhielt 1 bei {output} und sonst 0. Der zurückgegebene Gradient von {name} ist {value} bei {index}.</translation>
    </message>
    <message>
        <source>its only element</source>
        <translation>seinem einzigen Element</translation>
    </message>
    <message>
        <source>Row {row}: the effect of {input} on each element of {output_name}. Column {column}: the whole gradient of {input_name} for a grad_output of 1 at {output}.</source>
        <translation>Zeile {row}: die Wirkung von {input} auf jedes Element von {output_name}. Spalte {column}: der ganze Gradient von {input_name} für ein grad_output mit 1 bei {output}.</translation>
    </message>
    <message>
        <source>all zero</source>
        <translation>nur Nullen</translation>
    </message>
    <message>
        <source>identity matrix</source>
        <translation>Einheitsmatrix</translation>
    </message>
    <message>
        <source>diagonal</source>
        <translation>diagonal</translation>
    </message>
    <message>
        <source>block-diagonal, {count} blocks of {rows}×{columns}</source>
        <translation>blockdiagonal, {count} Blöcke von {rows}×{columns}</translation>
    </message>
    <message>
        <source>banded, {band} diagonals on each side of the main one</source>
        <translation>Bandmatrix, {band} Diagonalen auf jeder Seite der Hauptdiagonale</translation>
    </message>
    <message>
        <source>dense, no exact zeros</source>
        <translation>dicht, keine exakten Nullen</translation>
    </message>
    <message>
        <source>{share} of the elements are exactly zero</source>
        <translation>{share} der Elemente sind exakt null</translation>
    </message>
    <message>
        <source>{name}: {about}</source>
        <translation>{name}: {about}</translation>
    </message>
    <message>
        <source>{times}   {name}
{values}</source>
        <translation>{times}   {name}
{values}</translation>
    </message>
    <message>
        <source>not finite</source>
        <translation>nicht endlich</translation>
    </message>
    <message>
        <source>input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>{name} ({part} part)</source>
        <translation>{name} ({part}-Teil)</translation>
    </message>
    <message>
        <source>This scene has no Jacobians to check.</source>
        <translation>Diese Szene hat keine Jacobi-Matrizen zum Prüfen.</translation>
    </message>
    <message>
        <source>Another task is in progress.</source>
        <translation>Eine andere Aufgabe läuft noch.</translation>
    </message>
    <message>
        <source>Run a scene or a Python file first. A trace file cannot be checked.</source>
        <translation>Zuerst Szene oder Python-Datei ausführen. Ein Trace ist nicht prüfbar.</translation>
    </message>
</context>
<context>
    <name>JacobiansPanel</name>
    <message>
        <source>Choose a Function first.</source>
        <translation>Zuerst eine Function wählen.</translation>
    </message>
    <message>
        <source>Jacobians</source>
        <translation>Jacobi</translation>
    </message>
    <message>
        <source>No pair of output and input to compare.</source>
        <translation>Kein Paar aus Ausgabe und Eingabe zu vergleichen.</translation>
    </message>
    <message>
        <source>Nothing was compared: the check ended at the marked line.</source>
        <translation>Nichts wurde verglichen: Die Prüfung endete an der markierten Zeile.</translation>
    </message>
    <message>
        <source>Nothing was compared. Change the code or the inputs, and check again.</source>
        <translation>Nichts wurde verglichen. Ändern Sie den Code oder die Eingaben und prüfen Sie erneut.</translation>
    </message>
</context>
<context>
    <name>KeySheet</name>
    <message>
        <source>Keyboard Shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
</context>
<context>
    <name>Keys</name>
    <message>
        <source>In the list of breakpoints</source>
        <translation>In der Liste der Haltepunkte</translation>
    </message>
    <message>
        <source>Go to the next hit</source>
        <translation>Zum nächsten Treffer gehen</translation>
    </message>
    <message>
        <source>Turn the breakpoint on or off</source>
        <translation>Haltepunkt ein- oder ausschalten</translation>
    </message>
    <message>
        <source>Remove the breakpoint</source>
        <translation>Haltepunkt entfernen</translation>
    </message>
    <message>
        <source>Anywhere</source>
        <translation>Überall</translation>
    </message>
    <message>
        <source>In the console</source>
        <translation>In der Konsole</translation>
    </message>
    <message>
        <source>Go to the step that printed the line</source>
        <translation>Zum Schritt gehen, der die Zeile ausgegeben hat</translation>
    </message>
    <message>
        <source>In the list of findings</source>
        <translation>In der Liste der Befunde</translation>
    </message>
    <message>
        <source>Go to the step of the finding</source>
        <translation>Zum Schritt des Befunds gehen</translation>
    </message>
    <message>
        <source>In the inspector</source>
        <translation>Im Inspektor</translation>
    </message>
    <message>
        <source>In the list of lessons and stops</source>
        <translation>In der Liste der Lektionen und Stationen</translation>
    </message>
    <message>
        <source>Open the lesson, or go to the stop</source>
        <translation>Lektion öffnen oder zur Station gehen</translation>
    </message>
    <message>
        <source>In the library</source>
        <translation>In der Bibliothek</translation>
    </message>
    <message>
        <source>Run the selected entry</source>
        <translation>Ausgewählten Eintrag ausführen</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>Nächster Schritt</translation>
    </message>
    <message>
        <source>Previous step</source>
        <translation>Voriger Schritt</translation>
    </message>
    <message>
        <source>First step</source>
        <translation>Erster Schritt</translation>
    </message>
    <message>
        <source>Last step</source>
        <translation>Letzter Schritt</translation>
    </message>
    <message>
        <source>Step into stages, lines and ops</source>
        <translation>In Abschnitte, Zeilen und Ops hineingehen</translation>
    </message>
    <message>
        <source>Step out</source>
        <translation>Herausgehen</translation>
    </message>
    <message>
        <source>Play or pause</source>
        <translation>Abspielen oder anhalten</translation>
    </message>
    <message>
        <source>Number of an input: run again with a larger one; drag it, too</source>
        <translation>Zahl einer Eingabe: mit einer größeren erneut ausführen; auch durch Ziehen</translation>
    </message>
    <message>
        <source>Number of an input: run again with a smaller one</source>
        <translation>Zahl einer Eingabe: mit einer kleineren erneut ausführen</translation>
    </message>
    <message>
        <source>Copy as torch.tensor(…)</source>
        <translation>Als torch.tensor(…) kopieren</translation>
    </message>
    <message>
        <source>Unpin the element</source>
        <translation>Element lösen</translation>
    </message>
    <message>
        <source>In the timeline</source>
        <translation>In der Zeitleiste</translation>
    </message>
    <message>
        <source>Show fewer steps</source>
        <translation>Weniger Schritte zeigen</translation>
    </message>
    <message>
        <source>Show more steps</source>
        <translation>Mehr Schritte zeigen</translation>
    </message>
    <message>
        <source>Show all steps</source>
        <translation>Alle Schritte zeigen</translation>
    </message>
    <message>
        <source>In the graph</source>
        <translation>Im Graphen</translation>
    </message>
    <message>
        <source>Go to the node above</source>
        <translation>Zum Knoten darüber gehen</translation>
    </message>
    <message>
        <source>Go to the node below</source>
        <translation>Zum Knoten darunter gehen</translation>
    </message>
    <message>
        <source>Go to the node on the left</source>
        <translation>Zum Knoten links gehen</translation>
    </message>
    <message>
        <source>Go to the node on the right</source>
        <translation>Zum Knoten rechts gehen</translation>
    </message>
    <message>
        <source>Open the group, or go to the node&apos;s next step</source>
        <translation>Gruppe aufklappen oder zum nächsten Schritt des Knotens</translation>
    </message>
    <message>
        <source>Center the node; press again to fit the graph</source>
        <translation>Knoten zentrieren; noch einmal: Graphen einpassen</translation>
    </message>
    <message>
        <source>Show details of the node</source>
        <translation>Details des Knotens zeigen</translation>
    </message>
    <message>
        <source>Select nothing</source>
        <translation>Auswahl aufheben</translation>
    </message>
    <message>
        <source>In Presenter Mode</source>
        <translation>Im Präsentationsmodus</translation>
    </message>
    <message>
        <source>Next step; in quiz mode, reveal the answer first</source>
        <translation>Nächster Schritt; im Quizmodus zuerst die Antwort aufdecken</translation>
    </message>
    <message>
        <source>Black screen; any key brings the window back</source>
        <translation>Schwarzer Bildschirm; jede Taste holt das Fenster zurück</translation>
    </message>
    <message>
        <source>Quiz mode: hide what each step computes until you reveal it; press again to hide this step and all later ones again</source>
        <translation>Quizmodus: verbergen, was jeder Schritt berechnet, bis Sie es aufdecken; erneut drücken, um diesen und alle späteren Schritte wieder zu verbergen</translation>
    </message>
    <message>
        <source>Show all answers</source>
        <translation>Alle Antworten zeigen</translation>
    </message>
    <message>
        <source>Draw with the mouse until the next step</source>
        <translation>Bis zum nächsten Schritt mit der Maus zeichnen</translation>
    </message>
    <message>
        <source>Spotlight around the pointer until the next step</source>
        <translation>Spotlight um den Mauszeiger bis zum nächsten Schritt</translation>
    </message>
    <message>
        <source>Put away pen and spotlight; close the guide; then leave presenter mode</source>
        <translation>Stift und Spotlight weglegen; Leitfaden schließen; dann Präsentationsmodus verlassen</translation>
    </message>
    <message>
        <source>On a number of an input, in Presenter Mode</source>
        <translation>Auf einer Zahl einer Eingabe, im Präsentationsmodus</translation>
    </message>
    <message>
        <source>Run again with a larger number; drag, too</source>
        <translation>Mit einer größeren Zahl erneut ausführen; auch durch Ziehen</translation>
    </message>
    <message>
        <source>Run again with a smaller number</source>
        <translation>Mit einer kleineren Zahl erneut ausführen</translation>
    </message>
    <message>
        <source>Choose the next number</source>
        <translation>Nächste Zahl wählen</translation>
    </message>
    <message>
        <source>Choose the previous number</source>
        <translation>Vorige Zahl wählen</translation>
    </message>
    <message>
        <source>Go back to the recorded run</source>
        <translation>Zurück zum aufgezeichneten Lauf</translation>
    </message>
    <message>
        <source>Choose no number, and go back to the recorded run</source>
        <translation>Keine Zahl wählen und zurück zum aufgezeichneten Lauf</translation>
    </message>
    <message>
        <source>With the spotlight</source>
        <translation>Mit dem Spotlight</translation>
    </message>
    <message>
        <source>Larger circle; the wheel, too</source>
        <translation>Größerer Kreis; auch mit dem Mausrad</translation>
    </message>
    <message>
        <source>Smaller circle</source>
        <translation>Kleinerer Kreis</translation>
    </message>
    <message>
        <source>On a tensor in the inspector</source>
        <translation>Auf einem Tensor im Inspektor</translation>
    </message>
    <message>
        <source>Go to the element on the left</source>
        <translation>Zum Element links gehen</translation>
    </message>
    <message>
        <source>Go to the element on the right</source>
        <translation>Zum Element rechts gehen</translation>
    </message>
    <message>
        <source>Go to the element above</source>
        <translation>Zum Element darüber gehen</translation>
    </message>
    <message>
        <source>Go to the element below</source>
        <translation>Zum Element darunter gehen</translation>
    </message>
    <message>
        <source>Enlarge the tensor; on an element, pin it in every view</source>
        <translation>Tensor vergrößern; auf einem Element: in jeder Ansicht anheften</translation>
    </message>
    <message>
        <source>On a tensor in its own window</source>
        <translation>Auf einem Tensor in eigenem Fenster</translation>
    </message>
    <message>
        <source>Pin the element in every view</source>
        <translation>Element in jeder Ansicht anheften</translation>
    </message>
    <message>
        <source>In a grid of input elements</source>
        <translation>Im Raster der Eingabeelemente</translation>
    </message>
    <message>
        <source>Go to the next element; from the last one, to the next field</source>
        <translation>Zum nächsten Element gehen; vom letzten zum nächsten Feld</translation>
    </message>
    <message>
        <source>Go to the previous element</source>
        <translation>Zum vorigen Element gehen</translation>
    </message>
    <message>
        <source>Go to the next field</source>
        <translation>Zum nächsten Feld gehen</translation>
    </message>
    <message>
        <source>Edit the element</source>
        <translation>Element bearbeiten</translation>
    </message>
    <message>
        <source>Set the selected elements to 0</source>
        <translation>Ausgewählte Elemente auf 0 setzen</translation>
    </message>
    <message>
        <source>Copy the selected elements in spreadsheet format</source>
        <translation>Ausgewählte Elemente im Tabellenformat kopieren</translation>
    </message>
    <message>
        <source>Paste a table, a list or a printed tensor</source>
        <translation>Tabelle, Liste oder mit print ausgegebenen Tensor einfügen</translation>
    </message>
    <message>
        <source>In the search field</source>
        <translation>Im Suchfeld</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Nächster Treffer</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Voriger Treffer</translation>
    </message>
    <message>
        <source>Go to the step of the match</source>
        <translation>Zum Schritt des Treffers gehen</translation>
    </message>
    <message>
        <source>Close the search</source>
        <translation>Suche schließen</translation>
    </message>
    <message>
        <source>In the command palette</source>
        <translation>In der Befehlspalette</translation>
    </message>
    <message>
        <source>Next command</source>
        <translation>Nächster Befehl</translation>
    </message>
    <message>
        <source>Previous command</source>
        <translation>Voriger Befehl</translation>
    </message>
    <message>
        <source>Run the command</source>
        <translation>Befehl ausführen</translation>
    </message>
    <message>
        <source>Close the command palette</source>
        <translation>Befehlspalette schließen</translation>
    </message>
    <message>
        <source>In the op table</source>
        <translation>In der Op-Tabelle</translation>
    </message>
    <message>
        <source>Go to the op, line or stage of the row</source>
        <translation>Zur Op, Zeile oder zum Abschnitt der Tabellenzeile gehen</translation>
    </message>
    <message>
        <source>Copy the row</source>
        <translation>Tabellenzeile kopieren</translation>
    </message>
    <message>
        <source>In the outline</source>
        <translation>In der Gliederung</translation>
    </message>
    <message>
        <source>Go to the node&apos;s step; on a module, expand or collapse it</source>
        <translation>Zum Schritt des Knotens gehen; Modul auf- oder zuklappen</translation>
    </message>
    <message>
        <source>In the source</source>
        <translation>Im Quelltext</translation>
    </message>
    <message>
        <source>Enlarge the local variable at the cursor</source>
        <translation>Lokale Variable am Cursor vergrößern</translation>
    </message>
    <message>
        <source>Copy the selected text (select with Shift and arrow keys)</source>
        <translation>Ausgewählten Text kopieren (mit Umschalt und Pfeiltasten auswählen)</translation>
    </message>
    <message>
        <source>In the What If list</source>
        <translation>In der Was-wäre-wenn-Liste</translation>
    </message>
    <message>
        <source>Edit the change</source>
        <translation>Änderung bearbeiten</translation>
    </message>
    <message>
        <source>Turn the change on or off</source>
        <translation>Änderung ein- oder ausschalten</translation>
    </message>
    <message>
        <source>Remove the change</source>
        <translation>Änderung entfernen</translation>
    </message>
</context>
<context>
    <name>LargeTensorView</name>
    <message>
        <source>Empty: no elements.</source>
        <translation>Leer: keine Elemente.</translation>
    </message>
    <message>
        <source>Preparing the heatmap…</source>
        <translation>Heatmap wird vorbereitet…</translation>
    </message>
    <message>
        <source>Histogram of all {elements}.</source>
        <translation>Histogramm: alle {elements}.</translation>
    </message>
    <message>
        <source>Histogram of the {kept} kept elements of {count}.</source>
        <translation>Histogramm der {kept} gespeicherten von {count} Elementen.</translation>
    </message>
    <message>
        <source>Point at an element or press an arrow key. Press Enter or click to pin it.</source>
        <translation>Auf ein Element zeigen oder eine Pfeiltaste drücken. Eingabetaste oder Klick heftet es an.</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>current step</source>
        <translation>aktueller Schritt</translation>
    </message>
    <message>
        <source>created</source>
        <translation>erzeugt</translation>
    </message>
    <message>
        <source>done</source>
        <translation>erledigt</translation>
    </message>
    <message>
        <source>to come</source>
        <translation>kommt noch</translation>
    </message>
    <message>
        <source>not in this pass</source>
        <translation>nicht im Durchlauf</translation>
    </message>
    <message>
        <source>freed</source>
        <translation>freigegeben</translation>
    </message>
    <message>
        <source>selected</source>
        <translation>ausgewählt</translation>
    </message>
    <message>
        <source>search match</source>
        <translation>Suchtreffer</translation>
    </message>
    <message>
        <source>no gradient flows</source>
        <translation>kein Gradient fließt</translation>
    </message>
    <message>
        <source>no gradient can flow</source>
        <translation>kein Gradient kann fließen</translation>
    </message>
    <message>
        <source>open group</source>
        <translation>aufgeklappte Gruppe</translation>
    </message>
    <message>
        <source>order of derivative</source>
        <translation>Ordnung der Ableitung</translation>
    </message>
    <message>
        <source>shared memory</source>
        <translation>gemeinsamer Speicher</translation>
    </message>
    <message>
        <source>problem</source>
        <translation>Problem</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>isolated NaN or Inf</source>
        <translation>isoliertes NaN oder Inf</translation>
    </message>
    <message>
        <source>breakpoint</source>
        <translation>Haltepunkt</translation>
    </message>
    <message>
        <source>time while recording, up to {0}</source>
        <translation>Zeit beim Aufzeichnen, bis {0}</translation>
    </message>
    <message>
        <source>custom Function</source>
        <translation>eigene Function</translation>
    </message>
    <message>
        <source>built-in node</source>
        <translation>eingebauter Knoten</translation>
    </message>
    <message>
        <source>AccumulateGrad</source>
        <translation>AccumulateGrad</translation>
    </message>
    <message>
        <source>raises an error</source>
        <translation>löst einen Fehler aus</translation>
    </message>
    <message>
        <source>leaf</source>
        <translation>Blatt</translation>
    </message>
    <message>
        <source>repeated use</source>
        <translation>mehrfach verwendet</translation>
    </message>
    <message>
        <source>output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>saved tensors</source>
        <translation>gespeicherte Tensoren</translation>
    </message>
    <message>
        <source>closed group</source>
        <translation>zugeklappte Gruppe</translation>
    </message>
    <message>
        <source>cut: no history</source>
        <translation>getrennt: keine Historie</translation>
    </message>
    <message>
        <source>dead end: no gradient</source>
        <translation>Sackgasse: kein Gradient</translation>
    </message>
</context>
<context>
    <name>Lesson</name>
    <message>
        <source>{0} min</source>
        <translation>{0} min</translation>
    </message>
</context>
<context>
    <name>LessonBar</name>
    <message>
        <source>Number of the stop and of all stops</source>
        <translation>Nummer der Station und Anzahl aller Stationen</translation>
    </message>
    <message>
        <source>Previous Stop</source>
        <translation>Vorige Station</translation>
    </message>
    <message>
        <source>Next Stop</source>
        <translation>Nächste Station</translation>
    </message>
    <message>
        <source>Leave Lesson</source>
        <translation>Lektion verlassen</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>Übersicht</translation>
    </message>
    <message>
        <source>Show all stops</source>
        <translation>Alle Stationen zeigen</translation>
    </message>
    <message>
        <source>{0} / {1}</source>
        <translation>{0} / {1}</translation>
    </message>
</context>
<context>
    <name>LessonController</name>
    <message>
        <source>{0} has no stops. Add some with [[stop]].</source>
        <translation>{0} hat keine Stationen. Fügen Sie welche mit [[stop]] hinzu.</translation>
    </message>
    <message>
        <source>Previous stop</source>
        <translation>Vorige Station</translation>
    </message>
</context>
<context>
    <name>LessonEditor</name>
    <message>
        <source>Save Lesson As</source>
        <translation>Lektion speichern unter</translation>
    </message>
    <message>
        <source>Lessons ({0})</source>
        <translation>Lektionen ({0})</translation>
    </message>
</context>
<context>
    <name>LessonPanel</name>
    <message>
        <source>Lessons</source>
        <translation>Lektionen</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>Bearbeiten…</translation>
    </message>
    <message>
        <source>Edit stop</source>
        <translation>Station bearbeiten</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>Auf</translation>
    </message>
    <message>
        <source>Move stop up</source>
        <translation>Station nach oben</translation>
    </message>
    <message>
        <source>Down</source>
        <translation>Ab</translation>
    </message>
    <message>
        <source>Move stop down</source>
        <translation>Station nach unten</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove stop</source>
        <translation>Station entfernen</translation>
    </message>
    <message>
        <source>{0} spent</source>
        <translation>{0} gebraucht</translation>
    </message>
    <message>
        <source>{0}, {1}</source>
        <translation>{0}, {1}</translation>
    </message>
    <message>
        <source>Choose a lesson</source>
        <translation>Lektion wählen</translation>
    </message>
</context>
<context>
    <name>LessonPlayer</name>
    <message>
        <source>There is no scene {0}.</source>
        <translation>Es gibt keine Szene {0}.</translation>
    </message>
</context>
<context>
    <name>Library</name>
    <message>
        <source>Listed from the text; the file has not run</source>
        <translation>Aus dem Text gelesen; die Datei wurde nicht ausgeführt</translation>
    </message>
    <message>
        <source>{0} as a script</source>
        <translation>{0} als Skript</translation>
    </message>
</context>
<context>
    <name>LibraryPanel</name>
    <message>
        <source>Library</source>
        <translation>Bibliothek</translation>
    </message>
    <message>
        <source>Your Files</source>
        <translation>Eigene Dateien</translation>
    </message>
</context>
<context>
    <name>LibrarySearch</name>
    <message>
        <source>Filter the library</source>
        <translation>Bibliothek filtern</translation>
    </message>
    <message>
        <source>Show only entries that contain every word (Enter: run the first one, Esc: clear)</source>
        <translation>Nur Einträge zeigen, die jedes Wort enthalten (Eingabetaste: ersten ausführen, Esc: leeren)</translation>
    </message>
    <message>
        <source>No entry in the library matches.</source>
        <translation>Kein Eintrag der Bibliothek passt.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln entry(s)</source>
        <translation>
            <numerusform>%Ln Eintrag</numerusform>
            <numerusform>%Ln Einträge</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LineButton</name>
    <message>
        <source>Computed in {place}</source>
        <translation>Berechnet in {place}</translation>
    </message>
    <message>
        <source>Last computed in {place}</source>
        <translation>Zuletzt berechnet in {place}</translation>
    </message>
    <message>
        <source>Show this line of backward in the Source pane</source>
        <translation>Diese Zeile von backward im Quelltext zeigen</translation>
    </message>
</context>
<context>
    <name>LinkCommands</name>
    <message>
        <source>Copied: {0}</source>
        <translation>Kopiert: {0}</translation>
    </message>
</context>
<context>
    <name>LocalsPanel</name>
    <message>
        <source>Local variables</source>
        <translation>Lokale Variablen</translation>
    </message>
    <message>
        <source>Record Lines</source>
        <translation>Zeilen aufzeichnen</translation>
    </message>
    <message>
        <source>Run again and record each line</source>
        <translation>Erneut ausführen und jede Zeile aufzeichnen</translation>
    </message>
    <message>
        <source>Locals of {function}</source>
        <translation>Lokale Variablen von {function}</translation>
    </message>
    <message>
        <source>No local variables are set.</source>
        <translation>Keine lokalen Variablen gesetzt.</translation>
    </message>
    <message>
        <source>Locals</source>
        <translation>Variablen</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
</context>
<context>
    <name>MapFooter</name>
    <message>
        <source>Zeros</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>Worst Element</source>
        <translation>Größter Fehler</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>Einpassen</translation>
    </message>
    <message>
        <source>Go to the element with the largest error relative to the tolerance</source>
        <translation>Zum Element mit dem größten Fehler im Verhältnis zur Toleranz gehen</translation>
    </message>
    <message>
        <source>Show the whole matrix (F, or double-click)</source>
        <translation>Die ganze Matrix zeigen (F oder Doppelklick)</translation>
    </message>
    <message>
        <source>{structure} · difference = {difference}</source>
        <translation>{structure} · Differenz = {difference}</translation>
    </message>
    <message>
        <source>Zeros: {share}</source>
        <translation>Nullen: {share}</translation>
    </message>
    <message>
        <source>Highlight exact zeros, however small the other elements are.
{texts}</source>
        <translation>Exakte Nullen hervorheben, so klein die anderen Elemente auch sind.
{texts}</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>Des&amp;ign</translation>
    </message>
    <message>
        <source>&amp;Panels</source>
        <translation>Be&amp;reiche</translation>
    </message>
    <message>
        <source>&amp;Graph</source>
        <translation>&amp;Graph</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>A&amp;usführen</translation>
    </message>
    <message>
        <source>&amp;Step</source>
        <translation>&amp;Schritt</translation>
    </message>
    <message>
        <source>Playba&amp;ck Speed</source>
        <translation>Abspielges&amp;chwindigkeit</translation>
    </message>
    <message>
        <source>&amp;Breakpoints</source>
        <translation>Hal&amp;tepunkte</translation>
    </message>
    <message>
        <source>&amp;Lesson</source>
        <translation>&amp;Lektion</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
</context>
<context>
    <name>MessageBar</name>
    <message>
        <source>Open in Guide</source>
        <translation>Im Leitfaden öffnen</translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation>Diese Meldung schließen</translation>
    </message>
</context>
<context>
    <name>ModeSwitch</name>
    <message>
        <source>Heatmap</source>
        <translation>Heatmap</translation>
    </message>
    <message>
        <source>Show the values as colors (Space)</source>
        <translation>Werte als Farben zeigen (Leertaste)</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>Zahlen</translation>
    </message>
    <message>
        <source>Show the values in a table (Space)</source>
        <translation>Werte in einer Tabelle zeigen (Leertaste)</translation>
    </message>
    <message>
        <source>Histogram</source>
        <translation>Histogramm</translation>
    </message>
    <message>
        <source>Show how often values occur (Space)</source>
        <translation>Zeigen, wie oft Werte vorkommen (Leertaste)</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ansicht</translation>
    </message>
</context>
<context>
    <name>ModuleFields</name>
    <message>
        <source>Choose File…</source>
        <translation>Datei wählen…</translation>
    </message>
    <message>
        <source>State dict of the Module</source>
        <translation>state_dict des Moduls</translation>
    </message>
    <message>
        <source>such as model.pt</source>
        <translation>etwa model.pt</translation>
    </message>
    <message>
        <source>File with the state dict to load, and its key after a colon if it is in a checkpoint; empty for the parameters that the file creates</source>
        <translation>Zu ladende Datei mit dem state_dict; nach einem Doppelpunkt sein Schlüssel, wenn es in einem Checkpoint liegt; leer für die Parameter, die die Datei erzeugt</translation>
    </message>
    <message>
        <source>Choose the file with the state dict</source>
        <translation>Datei mit dem state_dict wählen</translation>
    </message>
    <message>
        <source>Mode of the Module</source>
        <translation>Modus des Moduls</translation>
    </message>
    <message>
        <source>Whether train() or eval() is called before the run</source>
        <translation>Ob vor dem Lauf train() oder eval() aufgerufen wird</translation>
    </message>
    <message>
        <source>State dicts ({0})</source>
        <translation>state_dicts ({0})</translation>
    </message>
    <message>
        <source>Choose a State Dict</source>
        <translation>state_dict wählen</translation>
    </message>
</context>
<context>
    <name>MoreButton</name>
    <message>
        <source>{count} more</source>
        <translation>{count} weitere</translation>
    </message>
    <message>
        <source>Show more (Space)</source>
        <translation>Mehr zeigen (Leertaste)</translation>
    </message>
</context>
<context>
    <name>NavigationRail</name>
    <message>
        <source>Side Panels</source>
        <translation>Seitenbereiche</translation>
    </message>
    <message>
        <source>Show or hide the panel {0}</source>
        <translation>Bereich {0} zeigen oder verbergen</translation>
    </message>
</context>
<context>
    <name>NoOpsNotice</name>
    <message>
        <source>Record Ops and Run Again</source>
        <translation>Ops aufzeichnen und neu ausführen</translation>
    </message>
    <message>
        <source>The ops within a step are listed here.</source>
        <translation>Hier werden die Ops eines Schritts aufgelistet.</translation>
    </message>
    <message>
        <source>The contents of this step are hidden until the answer is revealed.</source>
        <translation>Der Inhalt dieses Schritts ist verborgen, bis die Antwort aufgedeckt wird.</translation>
    </message>
    <message>
        <source>This run was recorded without the ops within nodes.</source>
        <translation>Dieser Lauf wurde ohne die Ops in den Knoten aufgezeichnet.</translation>
    </message>
    <message>
        <source>This run was recorded without the ops within nodes. To record them, use gradviz record --level {level}.</source>
        <translation>Dieser Lauf wurde ohne die Ops in den Knoten aufgezeichnet. Mit gradviz record --level {level} werden sie aufgezeichnet.</translation>
    </message>
    <message>
        <source>This step only marks a point in the run; it computes nothing.</source>
        <translation>Dieser Schritt markiert nur eine Stelle im Lauf; er berechnet nichts.</translation>
    </message>
    <message>
        <source>No ops were recorded in this step.</source>
        <translation>In diesem Schritt wurden keine Ops aufgezeichnet.</translation>
    </message>
</context>
<context>
    <name>NodeCommands</name>
    <message>
        <source>&amp;Node</source>
        <translation>&amp;Knoten</translation>
    </message>
    <message>
        <source>Select Where Its Gradient Comes &amp;From</source>
        <translation>&amp;Herkunft des Gradienten auswählen</translation>
    </message>
    <message>
        <source>Select Where Its Gradients G&amp;o</source>
        <translation>&amp;Ziele der Gradienten auswählen</translation>
    </message>
    <message>
        <source>&amp;What If</source>
        <translation>&amp;Was-wäre-wenn</translation>
    </message>
    <message>
        <source>and {0} more: use Find to list them</source>
        <translation>und {0} weitere: mit „Suchen“ auflisten</translation>
    </message>
</context>
<context>
    <name>NonFinitePills</name>
    <message>
        <source>Go to the first one</source>
        <translation>Zum ersten gehen</translation>
    </message>
    <message>
        <source>Go to the first one; double-click to find its origin</source>
        <translation>Zum ersten gehen; Doppelklick sucht den Ursprung</translation>
    </message>
    <message>
        <source>{count} beyond the scale</source>
        <translation>{count} außerhalb der Skala</translation>
    </message>
</context>
<context>
    <name>NumberTable</name>
    <message>
        <source>Numbers of {name}</source>
        <translation>Zahlen von {name}</translation>
    </message>
</context>
<context>
    <name>Ops</name>
    <message>
        <source>created by {op}</source>
        <translation>erzeugt von {op}</translation>
    </message>
    <message>
        <source>created by {op}, called in {place}</source>
        <translation>erzeugt von {op}, aufgerufen in {place}</translation>
    </message>
    <message>
        <source>saved: {values}</source>
        <translation>gespeichert: {values}</translation>
    </message>
</context>
<context>
    <name>OpsPanel</name>
    <message>
        <source>Ops in the step</source>
        <translation>Ops im Schritt</translation>
    </message>
    <message>
        <source>Ops</source>
        <translation>Ops</translation>
    </message>
    <message>
        <source>Tensors are {dtype} on {device} unless noted.</source>
        <translation>Ohne Angabe sind Tensoren {dtype} auf {device}.</translation>
    </message>
    <message>
        <source>A dash means that the time was not measured.</source>
        <translation>Ein Strich bedeutet, dass die Zeit nicht gemessen wurde.</translation>
    </message>
    <message>
        <source>Times were not measured.</source>
        <translation>Zeiten wurden nicht gemessen.</translation>
    </message>
    <message>
        <source>No ops were recorded in line {number}.</source>
        <translation>In Zeile {number} wurden keine Ops aufgezeichnet.</translation>
    </message>
</context>
<context>
    <name>OrderSwitch</name>
    <message>
        <source>First order: does backward return the correct gradient?</source>
        <translation>Erste Ordnung: Gibt backward den richtigen Gradienten zurück?</translation>
    </message>
    <message>
        <source>Second order: can backward be differentiated, and is the result correct?</source>
        <translation>Zweite Ordnung: Ist backward differenzierbar, und stimmt das Ergebnis?</translation>
    </message>
    <message>
        <source>Order of the check</source>
        <translation>Ordnung der Prüfung</translation>
    </message>
</context>
<context>
    <name>OriginPage</name>
    <message>
        <source>Record Ops and Run Again</source>
        <translation>Ops aufzeichnen und neu ausführen</translation>
    </message>
    <message>
        <source>This page shows where a NaN, an Inf or a zero came from.</source>
        <translation>Diese Seite zeigt, woher ein NaN, ein Inf oder eine Null stammt.</translation>
    </message>
    <message>
        <source>Finding the origin…</source>
        <translation>Ursprung wird gesucht…</translation>
    </message>
    <message>
        <source>The origin cannot be found: {reason}</source>
        <translation>Der Ursprung lässt sich nicht finden: {reason}</translation>
    </message>
    <message>
        <source>This run was recorded without ops, so the exact op is unknown.</source>
        <translation>Dieser Lauf wurde ohne Ops aufgezeichnet, daher ist die genaue Op unbekannt.</translation>
    </message>
    <message>
        <source>Only the first {followed} of {count} such elements were traced back.</source>
        <translation>Nur die ersten {followed} von {count} solchen Elementen wurden zurückverfolgt.</translation>
    </message>
    <message>
        <source>No such value is known up to step {step}.</source>
        <translation>Bis Schritt {step} ist kein solcher Wert bekannt.</translation>
    </message>
    <message>
        <source>No recorded value of this run is NaN or infinite.</source>
        <translation>Kein aufgezeichneter Wert dieses Laufs ist NaN oder unendlich.</translation>
    </message>
    <message>
        <source>No recorded value of this run is NaN.</source>
        <translation>Kein aufgezeichneter Wert dieses Laufs ist NaN.</translation>
    </message>
    <message>
        <source>No recorded value of this run is infinite.</source>
        <translation>Kein aufgezeichneter Wert dieses Laufs ist unendlich.</translation>
    </message>
    <message>
        <source>No recorded value of this run is zero.</source>
        <translation>Kein aufgezeichneter Wert dieses Laufs ist null.</translation>
    </message>
    <message>
        <source>No recorded value of this run is larger than {limit}.</source>
        <translation>Kein aufgezeichneter Wert dieses Laufs ist größer als {limit}.</translation>
    </message>
    <message>
        <source>No element of {name} is NaN, infinite or very large.</source>
        <translation>Kein Element von {name} ist NaN, unendlich oder sehr groß.</translation>
    </message>
    <message>
        <source>No element of {name} is NaN.</source>
        <translation>Kein Element von {name} ist NaN.</translation>
    </message>
    <message>
        <source>No element of {name} is infinite.</source>
        <translation>Kein Element von {name} ist unendlich.</translation>
    </message>
    <message>
        <source>No element of {name} is zero.</source>
        <translation>Kein Element von {name} ist null.</translation>
    </message>
    <message>
        <source>No element of {name} is larger than {limit}.</source>
        <translation>Kein Element von {name} ist größer als {limit}.</translation>
    </message>
    <message>
        <source>{element} is not NaN, infinite, zero or very large.</source>
        <translation>{element} ist nicht NaN, unendlich, null oder sehr groß.</translation>
    </message>
    <message>
        <source>{element} is not NaN.</source>
        <translation>{element} ist nicht NaN.</translation>
    </message>
    <message>
        <source>{element} is not infinite.</source>
        <translation>{element} ist nicht unendlich.</translation>
    </message>
    <message>
        <source>{element} is not zero.</source>
        <translation>{element} ist nicht null.</translation>
    </message>
    <message>
        <source>{element} is not larger than {limit}.</source>
        <translation>{element} ist nicht größer als {limit}.</translation>
    </message>
    <message>
        <source>Hidden in quiz mode until the answer is revealed.</source>
        <translation>Im Quizmodus verborgen, bis die Antwort aufgedeckt wird.</translation>
    </message>
    <message>
        <source>Click First in Run to find the origin of the run&apos;s first NaN or Inf. For a certain tensor or element, use its context menu.</source>
        <translation>„Erster im Lauf“ sucht den Ursprung des ersten NaN oder Inf im Lauf. Für einen bestimmten Tensor oder ein Element das Kontextmenü verwenden.</translation>
    </message>
</context>
<context>
    <name>OriginPath</name>
    <message>
        <source>Path of the value</source>
        <translation>Weg des Werts</translation>
    </message>
</context>
<context>
    <name>OriginView</name>
    <message>
        <source>Go There</source>
        <translation>Dorthin</translation>
    </message>
    <message>
        <source>Origin</source>
        <translation>Ursprung</translation>
    </message>
    <message>
        <source>{number} of {count}: {where}</source>
        <translation>{number} von {count}: {where}</translation>
    </message>
</context>
<context>
    <name>OutlinePanel</name>
    <message>
        <source>Nodes of the graph</source>
        <translation>Knoten des Graphen</translation>
    </message>
    <message>
        <source>Enter: go to the step of the node and show it in the graph</source>
        <translation>Eingabetaste: zum Schritt des Knotens gehen und ihn im Graphen zeigen</translation>
    </message>
    <message>
        <source>Once there is a graph, its nodes are listed here.</source>
        <translation>Sobald es einen Graphen gibt, stehen hier seine Knoten.</translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>Gliederung</translation>
    </message>
</context>
<context>
    <name>PairList</name>
    <message>
        <source>Pairs of output and input</source>
        <translation>Paare aus Ausgabe und Eingabe</translation>
    </message>
</context>
<context>
    <name>PairMaps</name>
    <message>
        <source>Preparing {count} elements…</source>
        <translation>{count} Elemente werden vorbereitet…</translation>
    </message>
    <message>
        <source>Hidden until the gradient of this step is revealed.</source>
        <translation>Verborgen, bis der Gradient dieses Schritts aufgedeckt wird.</translation>
    </message>
    <message>
        <source>The trace does not contain the matrices of this pair.</source>
        <translation>Der Trace enthält die Matrizen dieses Paars nicht.</translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>Command palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <source>Type a command…</source>
        <translation>Befehl eingeben…</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Part of a command&apos;s name; {0} runs it</source>
        <translation>Teil eines Befehlsnamens; {0} führt ihn aus</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>No matching commands.</source>
        <translation>Keine passenden Befehle.</translation>
    </message>
</context>
<context>
    <name>PanelTitle</name>
    <message>
        <source>Pin {0}</source>
        <translation>{0} anheften</translation>
    </message>
    <message>
        <source>Close {0}</source>
        <translation>{0} schließen</translation>
    </message>
    <message>
        <source>Close this panel (Esc)</source>
        <translation>Diesen Bereich schließen (Esc)</translation>
    </message>
    <message>
        <source>Show over the graph only while used</source>
        <translation>Nur bei Gebrauch über dem Graphen zeigen</translation>
    </message>
    <message>
        <source>Keep open</source>
        <translation>Geöffnet lassen</translation>
    </message>
</context>
<context>
    <name>Panels</name>
    <message>
        <source>&amp;Breakpoints</source>
        <translation>&amp;Haltepunkte</translation>
    </message>
    <message>
        <source>&amp;Console</source>
        <translation>&amp;Konsole</translation>
    </message>
    <message>
        <source>&amp;Doctor</source>
        <translation>&amp;Doctor</translation>
    </message>
    <message>
        <source>G&amp;uide</source>
        <translation>L&amp;eitfaden</translation>
    </message>
    <message>
        <source>I&amp;nputs</source>
        <translation>Ei&amp;ngaben</translation>
    </message>
    <message>
        <source>&amp;Inspector</source>
        <translation>&amp;Inspektor</translation>
    </message>
    <message>
        <source>L&amp;essons</source>
        <translation>&amp;Lektionen</translation>
    </message>
    <message>
        <source>&amp;Library</source>
        <translation>&amp;Bibliothek</translation>
    </message>
    <message>
        <source>Loc&amp;als</source>
        <translation>&amp;Variablen</translation>
    </message>
    <message>
        <source>O&amp;ps</source>
        <translation>O&amp;ps</translation>
    </message>
    <message>
        <source>&amp;Outline</source>
        <translation>&amp;Gliederung</translation>
    </message>
    <message>
        <source>Ori&amp;gin</source>
        <translation>&amp;Ursprung</translation>
    </message>
    <message>
        <source>&amp;Source</source>
        <translation>&amp;Quelltext</translation>
    </message>
    <message>
        <source>&amp;What If</source>
        <translation>&amp;Was-wäre-wenn</translation>
    </message>
</context>
<context>
    <name>ParameterTable</name>
    <message>
        <source>Changes of the parameters</source>
        <translation>Änderungen der Parameter</translation>
    </message>
    <message>
        <source>parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>update ÷ weight</source>
        <translation>Update ÷ Gewicht</translation>
    </message>
    <message>
        <source>differs from iteration {0}</source>
        <translation>Abstand zu Iteration {0}</translation>
    </message>
    <message>
        <source>Iterations {0} and {1}: {2} differs most, by up to {3}.</source>
        <translation>Iterationen {0} und {1}: {2} weicht am meisten ab, um bis zu {3}.</translation>
    </message>
    <message>
        <source>{0} of {1} (step {2})</source>
        <translation>{0} von {1} (Schritt {2})</translation>
    </message>
    <message>
        <source>ReLU units that are 0 for the whole batch: {0}.</source>
        <translation>ReLU-Einheiten, die für den ganzen Batch 0 sind: {0}.</translation>
    </message>
</context>
<context>
    <name>PartialMapView</name>
    <message>
        <source>Matrices being computed</source>
        <translation>Matrizen in Berechnung</translation>
    </message>
</context>
<context>
    <name>PassPages</name>
    <message>
        <source>Gradients by layer</source>
        <translation>Gradienten nach Schichten</translation>
    </message>
    <message>
        <source>Saved memory by module</source>
        <translation>Gespeicherter Speicher nach Modulen</translation>
    </message>
</context>
<context>
    <name>PassageView</name>
    <message>
        <source>Code: {lines}</source>
        <translation>Code: {lines}</translation>
    </message>
</context>
<context>
    <name>PathList</name>
    <message>
        <source>step {step}</source>
        <translation>Schritt {step}</translation>
    </message>
    <message>
        <source>line {line} · step {step}</source>
        <translation>Zeile {line} · Schritt {step}</translation>
    </message>
</context>
<context>
    <name>PenLayer</name>
    <message>
        <source>Pen</source>
        <translation>Stift</translation>
    </message>
</context>
<context>
    <name>PlainBlock</name>
    <message>
        <source>Only the beginning of this text is shown:</source>
        <translation>Nur der Anfang dieses Textes wird gezeigt:</translation>
    </message>
</context>
<context>
    <name>PositionCrumbs</name>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>stages</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>lines</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>ops</source>
        <translation>Ops</translation>
    </message>
    <message>
        <source>Step into this step</source>
        <translation>In diesen Schritt hineingehen</translation>
    </message>
    <message>
        <source>Step from pass to pass</source>
        <translation>Von Durchlauf zu Durchlauf</translation>
    </message>
    <message>
        <source>Go to {0} and step at this level</source>
        <translation>Zu {0} gehen und auf dieser Ebene weitergehen</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>forward</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>backward</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimizer</translation>
    </message>
    <message>
        <source>{0} {1}</source>
        <translation>{0} {1}</translation>
    </message>
</context>
<context>
    <name>PresentButton</name>
    <message>
        <source>Presenter Mode: large text for an audience, steps by clicker</source>
        <translation>Präsentationsmodus: großer Text für ein Publikum, Schritte per Fernbedienung</translation>
    </message>
    <message>
        <source>Present</source>
        <translation>Präsentieren</translation>
    </message>
</context>
<context>
    <name>Presenter</name>
    <message>
        <source>later answers are hidden</source>
        <translation>spätere Antworten sind verborgen</translation>
    </message>
    <message>
        <source>hidden until the next click</source>
        <translation>verborgen bis zum nächsten Klick</translation>
    </message>
</context>
<context>
    <name>PreviousRunMarker</name>
    <message>
        <source>Previous run; a new run is in progress</source>
        <translation>Voriger Lauf; ein neuer läuft gerade</translation>
    </message>
    <message>
        <source>Previous run; nothing has run since</source>
        <translation>Voriger Lauf; seitdem lief nichts</translation>
    </message>
    <message>
        <source>Recorded beforehand; running it here failed</source>
        <translation>Vorab aufgezeichnet; hier schlug die Ausführung fehl</translation>
    </message>
    <message>
        <source>Previous run; the new run failed</source>
        <translation>Voriger Lauf; der neue Lauf schlug fehl</translation>
    </message>
    <message>
        <source>Previous run; {0} has changed since</source>
        <translation>Voriger Lauf; {0} wurde seitdem geändert</translation>
    </message>
</context>
<context>
    <name>ProvenanceController</name>
    <message>
        <source>tensor {number}</source>
        <translation>Tensor {number}</translation>
    </message>
</context>
<context>
    <name>ProvenancePanel</name>
    <message>
        <source>Origin</source>
        <translation>Ursprung</translation>
    </message>
</context>
<context>
    <name>QuestionBar</name>
    <message>
        <source>Value to find</source>
        <translation>Gesuchter Wert</translation>
    </message>
    <message>
        <source>NaN or Inf</source>
        <translation>NaN oder Inf</translation>
    </message>
    <message>
        <source>NaN</source>
        <translation>NaN</translation>
    </message>
    <message>
        <source>Inf</source>
        <translation>Inf</translation>
    </message>
    <message>
        <source>Zero</source>
        <translation>Null</translation>
    </message>
    <message>
        <source>Larger than</source>
        <translation>Größer als</translation>
    </message>
    <message>
        <source>Magnitude limit</source>
        <translation>Grenze des Betrags</translation>
    </message>
    <message>
        <source>First in Run</source>
        <translation>Erster im Lauf</translation>
    </message>
    <message>
        <source>Find the first tensor of the run with such a value</source>
        <translation>Den ersten Tensor des Laufs mit einem solchen Wert suchen</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>in {element} at step {step}</source>
        <translation>in {element} bei Schritt {step}</translation>
    </message>
</context>
<context>
    <name>RankController</name>
    <message>
        <source>Ranks</source>
        <translation>Ranks</translation>
    </message>
</context>
<context>
    <name>Ranks</name>
    <message>
        <source>rank {0}</source>
        <translation>Rank {0}</translation>
    </message>
    <message>
        <source>{0} · is being opened…</source>
        <translation>{0} · wird geöffnet…</translation>
    </message>
    <message>
        <source>{0} · cannot be shown</source>
        <translation>{0} · nicht darstellbar</translation>
    </message>
    <message>
        <source>{0} · {1} more steps</source>
        <translation>{0} · {1} weitere Schritte</translation>
    </message>
    <message>
        <source>Gradients changed again at the end of this pass.</source>
        <translation>Am Ende dieses Durchlaufs änderten sich Gradienten noch einmal.</translation>
    </message>
    <message>
        <source>Click to show this rank here.</source>
        <translation>Klicken, um diesen Rank hier zu zeigen.</translation>
    </message>
    <message>
        <source>{0} was not written by rank {1} of {2}.</source>
        <translation>{0} wurde nicht von Rank {1} von {2} geschrieben.</translation>
    </message>
</context>
<context>
    <name>Reasons</name>
    <message>
        <source>there is no run to show yet</source>
        <translation>es gibt noch keinen Lauf</translation>
    </message>
    <message>
        <source>no lesson is played</source>
        <translation>es läuft keine Lektion</translation>
    </message>
    <message>
        <source>only in Presenter Mode</source>
        <translation>nur im Präsentationsmodus</translation>
    </message>
    <message>
        <source>there is no trace of such a rank in the same folder</source>
        <translation>im selben Ordner gibt es keinen Trace eines solchen Ranks</translation>
    </message>
    <message>
        <source>the inputs are incomplete</source>
        <translation>die Eingaben sind unvollständig</translation>
    </message>
    <message>
        <source>only for your own Python files</source>
        <translation>nur für eigene Python-Dateien</translation>
    </message>
    <message>
        <source>nothing is running</source>
        <translation>nichts läuft</translation>
    </message>
    <message>
        <source>no change is enabled</source>
        <translation>es ist keine Änderung eingeschaltet</translation>
    </message>
    <message>
        <source>this is the original run</source>
        <translation>dies ist der ursprüngliche Lauf</translation>
    </message>
    <message>
        <source>there is no other run, or no differences</source>
        <translation>es gibt keinen anderen Lauf oder keine Unterschiede</translation>
    </message>
    <message>
        <source>nothing is compared, or no differences</source>
        <translation>nichts wird verglichen, oder es gibt keine Unterschiede</translation>
    </message>
    <message>
        <source>no inputs have been edited</source>
        <translation>es wurden keine Eingaben bearbeitet</translation>
    </message>
    <message>
        <source>nothing to redo</source>
        <translation>nichts zum Wiederholen</translation>
    </message>
    <message>
        <source>the inputs have their default values</source>
        <translation>die Eingaben haben ihre Standardwerte</translation>
    </message>
    <message>
        <source>only a saved trace or a scene with its own inputs has a link</source>
        <translation>nur ein gespeicherter Trace oder eine Szene mit eigenen Eingaben hat einen Link</translation>
    </message>
    <message>
        <source>only for your own files, outside Presenter Mode</source>
        <translation>nur für eigene Dateien, außerhalb des Präsentationsmodus</translation>
    </message>
    <message>
        <source>the source file is not on this machine</source>
        <translation>die Quelltextdatei liegt nicht auf diesem Rechner</translation>
    </message>
    <message>
        <source>there are no steps to play</source>
        <translation>es gibt keine Schritte zum Abspielen</translation>
    </message>
    <message>
        <source>this is the outermost level</source>
        <translation>dies ist die äußerste Ebene</translation>
    </message>
    <message>
        <source>no node is selected, and the step has none</source>
        <translation>kein Knoten ist ausgewählt, und der Schritt hat keinen</translation>
    </message>
    <message>
        <source>there are no breakpoints</source>
        <translation>es gibt keine Haltepunkte</translation>
    </message>
    <message>
        <source>no later step hits a breakpoint</source>
        <translation>kein späterer Schritt trifft einen Haltepunkt</translation>
    </message>
    <message>
        <source>no earlier step hits a breakpoint</source>
        <translation>kein früherer Schritt trifft einen Haltepunkt</translation>
    </message>
    <message>
        <source>no later step involves the node</source>
        <translation>kein späterer Schritt betrifft den Knoten</translation>
    </message>
    <message>
        <source>the node is not a closed group</source>
        <translation>der Knoten ist keine zugeklappte Gruppe</translation>
    </message>
    <message>
        <source>the node is not in an opened group</source>
        <translation>der Knoten liegt nicht in einer aufgeklappten Gruppe</translation>
    </message>
    <message>
        <source>there are no opened groups</source>
        <translation>es gibt keine aufgeklappten Gruppen</translation>
    </message>
    <message>
        <source>there is no later step</source>
        <translation>es gibt keinen späteren Schritt</translation>
    </message>
    <message>
        <source>there is no earlier step</source>
        <translation>es gibt keinen früheren Schritt</translation>
    </message>
    <message>
        <source>nothing finer was recorded</source>
        <translation>es wurde nichts Feineres aufgezeichnet</translation>
    </message>
    <message>
        <source>the run has no such iteration</source>
        <translation>der Lauf hat keine solche Iteration</translation>
    </message>
    <message>
        <source>the run has no iterations</source>
        <translation>der Lauf hat keine Iterationen</translation>
    </message>
    <message>
        <source>the step that created the node is unknown</source>
        <translation>der Schritt, der den Knoten erzeugt hat, ist unbekannt</translation>
    </message>
    <message>
        <source>no step executes the node</source>
        <translation>kein Schritt führt den Knoten aus</translation>
    </message>
    <message>
        <source>no gradient reaches the node</source>
        <translation>kein Gradient erreicht den Knoten</translation>
    </message>
    <message>
        <source>there is no run to show yet, or Quiz Mode hides the answer</source>
        <translation>es gibt noch keinen Lauf, oder der Quizmodus verbirgt die Antwort</translation>
    </message>
    <message>
        <source>no tensor element is pinned</source>
        <translation>kein Tensorelement ist angeheftet</translation>
    </message>
    <message>
        <source>no tensor of the node has NaN or Inf</source>
        <translation>kein Tensor des Knotens enthält NaN oder Inf</translation>
    </message>
    <message>
        <source>no node is selected</source>
        <translation>kein Knoten ist ausgewählt</translation>
    </message>
    <message>
        <source>the search for breakpoint hits is still running</source>
        <translation>die Suche nach Treffern der Haltepunkte läuft noch</translation>
    </message>
    <message>
        <source>Quiz Mode hides it</source>
        <translation>der Quizmodus verbirgt es</translation>
    </message>
</context>
<context>
    <name>RecentFilesController</name>
    <message>
        <source>{0} no longer exists. It was removed from the recent files.</source>
        <translation>{0} existiert nicht mehr. Der Eintrag wurde aus den zuletzt verwendeten Dateien entfernt.</translation>
    </message>
</context>
<context>
    <name>RecentMenu</name>
    <message>
        <source>Open &amp;Recent</source>
        <translation>&amp;Zuletzt verwendet</translation>
    </message>
    <message>
        <source>&amp;Clear List</source>
        <translation>Liste &amp;leeren</translation>
    </message>
</context>
<context>
    <name>RepairDialog</name>
    <message>
        <source>Changes</source>
        <translation>Änderungen</translation>
    </message>
    <message>
        <source>&amp;Apply to File</source>
        <translation>Auf Datei &amp;anwenden</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>{0} would change as follows.</source>
        <translation>{0} würde sich wie folgt ändern.</translation>
    </message>
    <message>
        <source>The file has changed since the run. Run it again first.</source>
        <translation>Die Datei wurde seit dem Lauf geändert. Führen Sie sie zuerst erneut aus.</translation>
    </message>
    <message>
        <source>The file cannot be changed: {0}</source>
        <translation>Die Datei kann nicht geändert werden: {0}</translation>
    </message>
    <message>
        <source>{0} was changed.</source>
        <translation>{0} wurde geändert.</translation>
    </message>
    <message>
        <source>{0} is as before.</source>
        <translation>{0} ist wie zuvor.</translation>
    </message>
</context>
<context>
    <name>RowsView</name>
    <message>
        <source>&amp;Copy Row</source>
        <translation>&amp;Zeile kopieren</translation>
    </message>
    <message>
        <source>Copy &amp;Table</source>
        <translation>&amp;Tabelle kopieren</translation>
    </message>
</context>
<context>
    <name>RunController</name>
    <message>
        <source>{0} declares no inputs for {1}. Choose them under Inputs, then run it.</source>
        <translation>{0} deklariert keine Eingaben für {1}. Wählen Sie sie unter „Eingaben“ und starten Sie dann den Lauf.</translation>
    </message>
    <message>
        <source>{0} no longer defines {1}.</source>
        <translation>{0} definiert {1} nicht mehr.</translation>
    </message>
    <message>
        <source>{1} cannot run as it is. Declare it in EXAMPLES of {0}.</source>
        <translation>{1} kann so nicht ausgeführt werden. Deklarieren Sie es in EXAMPLES von {0}.</translation>
    </message>
    <message>
        <source>{0} was only read, not run. Run executes the cells above this one and records this one. Library lists the other cells.</source>
        <translation>{0} wurde nur gelesen, nicht ausgeführt. Ausführen führt die Zellen oberhalb dieser aus und zeichnet diese auf. Die Bibliothek nennt die anderen Zellen.</translation>
    </message>
    <message>
        <source>Run starts it as a script; Inputs has a field for its arguments.</source>
        <translation>„Ausführen“ startet es als Skript; unter „Eingaben“ gibt es ein Feld für seine Argumente.</translation>
    </message>
    <message>
        <source>Library lists what its text defines. Run starts it as a script; Inputs has a field for its arguments.</source>
        <translation>Die Bibliothek zeigt, was der Text definiert. „Ausführen“ startet es als Skript; unter „Eingaben“ gibt es ein Feld für seine Argumente.</translation>
    </message>
    <message>
        <source>{0} To change the limit, open Settings.</source>
        <translation>{0} Das Limit lässt sich in den Einstellungen ändern.</translation>
    </message>
    <message>
        <source>{0} The result of the previous check is shown.</source>
        <translation>{0} Das Ergebnis der vorigen Prüfung wird gezeigt.</translation>
    </message>
    <message>
        <source>Stopped the run of {0} and discarded its trace.</source>
        <translation>Der Lauf von {0} wurde gestoppt und sein Trace verworfen.</translation>
    </message>
    <message>
        <source>Stopped the check of {0}.</source>
        <translation>Prüfung von {0} gestoppt.</translation>
    </message>
    <message>
        <source>input() has nothing to read, as a run has no keyboard.</source>
        <translation>input() kann nichts lesen, da ein Lauf keine Tastatur hat.</translation>
    </message>
    <message>
        <source>{0} ended the run at step {1}.</source>
        <translation>{0} beendete den Lauf bei Schritt {1}.</translation>
    </message>
    <message>
        <source>{0} ended the run at step {1}: {2}</source>
        <translation>{0} beendete den Lauf bei Schritt {1}: {2}</translation>
    </message>
    <message>
        <source>What If: {0}</source>
        <translation>Was-wäre-wenn: {0}</translation>
    </message>
    <message>
        <source>Trace saved to {0}.</source>
        <translation>Trace unter {0} gespeichert.</translation>
    </message>
</context>
<context>
    <name>SaveDialog</name>
    <message>
        <source>{0} exists. To replace it, type its name with the suffix.</source>
        <translation>{0} existiert bereits. Um die Datei zu ersetzen, den Namen mit Endung eingeben.</translation>
    </message>
</context>
<context>
    <name>ScaleBar</name>
    <message>
        <source>all zero</source>
        <translation>nur Nullen</translation>
    </message>
    <message>
        <source>Colors from {low} to {high}</source>
        <translation>Farben von {low} bis {high}</translation>
    </message>
    <message>
        <source>inside</source>
        <translation>innerhalb</translation>
    </message>
    <message>
        <source>outside</source>
        <translation>außerhalb</translation>
    </message>
    <message>
        <source>Colors by tolerance: up to 1 inside, up to {most} outside</source>
        <translation>Farben nach Toleranz: bis 1 innerhalb, bis {most} außerhalb</translation>
    </message>
</context>
<context>
    <name>ScaleControl</name>
    <message>
        <source>same scale</source>
        <translation>gleiche Skala</translation>
    </message>
    <message>
        <source>Use one color scale for all of these, up to the largest value (Space)</source>
        <translation>Eine gemeinsame Farbskala für alle verwenden, bis zum größten Wert (Leertaste)</translation>
    </message>
    <message>
        <source>Same color scale for {names}</source>
        <translation>Gleiche Farbskala für {names}</translation>
    </message>
</context>
<context>
    <name>ScreenMenu</name>
    <message>
        <source>{name}, {width} × {height}</source>
        <translation>{name}, {width} × {height}</translation>
    </message>
</context>
<context>
    <name>SectionBox</name>
    <message>
        <source>collapsed</source>
        <translation>zugeklappt</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>aufgeklappt</translation>
    </message>
</context>
<context>
    <name>SectionView</name>
    <message>
        <source>folded</source>
        <translation>zugeklappt</translation>
    </message>
    <message>
        <source>unfolded</source>
        <translation>aufgeklappt</translation>
    </message>
    <message>
        <source>Unfold this section (Space)</source>
        <translation>Diesen Teil aufklappen (Leertaste)</translation>
    </message>
    <message>
        <source>Fold this section (Space)</source>
        <translation>Diesen Teil zuklappen (Leertaste)</translation>
    </message>
</context>
<context>
    <name>Session</name>
    <message>
        <source>Only the original run can be checked. Go back to it first.</source>
        <translation>Nur der ursprüngliche Lauf lässt sich prüfen. Kehren Sie zuerst zu ihm zurück.</translation>
    </message>
    <message>
        <source>Run a scene or a file first.</source>
        <translation>Führen Sie zuerst eine Szene oder eine Datei aus.</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Darstellung</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>Sp&amp;rache</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Design</translation>
    </message>
    <message>
        <source>Text si&amp;ze</source>
        <translation>Schrift&amp;größe</translation>
    </message>
    <message>
        <source>Te&amp;nsor colors</source>
        <translation>Te&amp;nsorfarben</translation>
    </message>
    <message>
        <source>&amp;Animation</source>
        <translation>&amp;Animation</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Time &amp;limit</source>
        <translation>Zeit&amp;limit</translation>
    </message>
    <message>
        <source>With {0} s, a program that runs as a whole has no time limit</source>
        <translation>Mit {0} s hat ein Programm, das als Ganzes läuft, kein Zeitlimit</translation>
    </message>
    <message>
        <source>&amp;Memory limit</source>
        <translation>&amp;Speicherlimit</translation>
    </message>
    <message>
        <source>Tra&amp;ce size limit</source>
        <translation>Limit der Tra&amp;ce-Größe</translation>
    </message>
    <message>
        <source>&amp;Printed text limit</source>
        <translation>Limit der Te&amp;xtausgabe</translation>
    </message>
    <message>
        <source>Recor&amp;d</source>
        <translation>Auf&amp;zeichnen</translation>
    </message>
    <message>
        <source>the first 20 and a sample</source>
        <translation>die ersten 20 und eine Stichprobe</translation>
    </message>
    <message>
        <source>all, or for scripts a range such as 3, 3:5, 500: or last:20</source>
        <translation>all oder für Skripte ein Bereich wie 3, 3:5, 500: oder last:20</translation>
    </message>
    <message>
        <source>Passes of long r&amp;uns</source>
        <translation>Durchlä&amp;ufe langer Läufe</translation>
    </message>
    <message>
        <source>&amp;Whole tensors</source>
        <translation>Ganze &amp;Tensoren</translation>
    </message>
    <message>
        <source>A trace stores whole tensors up to this total size, and only statistics beyond it. New limits apply from the next run.</source>
        <translation>Ein Trace speichert ganze Tensoren bis zu dieser Gesamtgröße, darüber hinaus nur die Statistik. Neue Limits gelten ab dem nächsten Lauf.</translation>
    </message>
    <message>
        <source>Run again when file is &amp;saved</source>
        <translation>Beim Spe&amp;ichern der Datei neu ausführen</translation>
    </message>
    <message>
        <source>As&amp;k before closing a window with an unsaved run</source>
        <translation>Vor dem Schließen eines Fensters mit nicht gespeichertem Lauf &amp;fragen</translation>
    </message>
    <message>
        <source>Enter all, or a range such as 3, 3:5, 500: or last:20.</source>
        <translation>Geben Sie all oder einen Bereich wie 3, 3:5, 500: oder last:20 ein.</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelltext</translation>
    </message>
    <message>
        <source>&amp;Editor</source>
        <translation>&amp;Editor</translation>
    </message>
    <message>
        <source>Program and arguments; {file} and {line} stand for the file and line.</source>
        <translation>Programm und Argumente; {file} und {line} stehen für Datei und Zeile.</translation>
    </message>
    <message>
        <source>&amp;Reset All</source>
        <translation>Alle z&amp;urücksetzen</translation>
    </message>
    <message>
        <source>Restore all settings to their defaults</source>
        <translation>Alle Einstellungen auf ihre Standardwerte zurücksetzen</translation>
    </message>
    <message>
        <source>{0:.1f} GiB of this machine&apos;s {1:.1f} GiB.</source>
        <translation>{0:.1f} GiB von {1:.1f} GiB dieses Rechners.</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Ocher to blue</source>
        <translation>Ocker bis Blau</translation>
    </message>
    <message>
        <source>Red to blue</source>
        <translation>Rot bis Blau</translation>
    </message>
    <message>
        <source>Animate steps</source>
        <translation>Schritte animieren</translation>
    </message>
    <message>
        <source>No animation</source>
        <translation>Keine Animation</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Nodes and ops</source>
        <translation>Knoten und Ops</translation>
    </message>
    <message>
        <source>Nodes and source lines</source>
        <translation>Knoten und Quelltextzeilen</translation>
    </message>
    <message>
        <source>Nodes, ops and source lines</source>
        <translation>Knoten, Ops und Quelltextzeilen</translation>
    </message>
    <message>
        <source>Recording level</source>
        <translation>Umfang der Aufzeichnung</translation>
    </message>
    <message>
        <source>for example {example}</source>
        <translation>zum Beispiel {example}</translation>
    </message>
    <message>
        <source> s</source>
        <translation> s</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keins</translation>
    </message>
    <message>
        <source> MiB</source>
        <translation> MiB</translation>
    </message>
    <message>
        <source> characters</source>
        <translation> Zeichen</translation>
    </message>
</context>
<context>
    <name>SignLegend</name>
    <message>
        <source>outside the tolerance</source>
        <translation>außerhalb der Toleranz</translation>
    </message>
    <message>
        <source>worst, cursor</source>
        <translation>größter Fehler, Cursor</translation>
    </message>
</context>
<context>
    <name>Skeleton</name>
    <message>
        <source>Starting…</source>
        <translation>Startet…</translation>
    </message>
</context>
<context>
    <name>Source</name>
    <message>
        <source>The source of each step appears here.</source>
        <translation>Hier erscheint der Quelltext jedes Schritts.</translation>
    </message>
    <message>
        <source>The source of {path} was not recorded. {about}</source>
        <translation>Der Quelltext von {path} wurde nicht aufgezeichnet. {about}</translation>
    </message>
    <message>
        <source>No lines were recorded for this step. {about}</source>
        <translation>Für diesen Schritt wurden keine Zeilen aufgezeichnet. {about}</translation>
    </message>
    <message>
        <source>This step has no source.</source>
        <translation>Dieser Schritt hat keinen Quelltext.</translation>
    </message>
    <message>
        <source>Values are hidden until the answer is revealed.</source>
        <translation>Die Werte sind verborgen, bis die Antwort aufgedeckt wird.</translation>
    </message>
    <message>
        <source>Local variables are recorded only inside of custom Functions.</source>
        <translation>Lokale Variablen werden nur innerhalb eigener Functions aufgezeichnet.</translation>
    </message>
    <message>
        <source>This run was recorded without source lines, so local variables are unknown.</source>
        <translation>Dieser Lauf wurde ohne Quelltextzeilen aufgezeichnet, daher sind lokale Variablen unbekannt.</translation>
    </message>
    <message>
        <source>None of your lines run in this stage.</source>
        <translation>In diesem Abschnitt läuft keine Ihrer Zeilen.</translation>
    </message>
    <message>
        <source>No lines were recorded in this stage.</source>
        <translation>In diesem Abschnitt wurden keine Zeilen aufgezeichnet.</translation>
    </message>
    <message>
        <source>It has not run yet.</source>
        <translation>Noch nicht ausgeführt.</translation>
    </message>
    <message>
        <source>It ran in step {number}.</source>
        <translation>Ausgeführt in Schritt {number}.</translation>
    </message>
    <message>
        <source>Shown as it ran in step {number}.</source>
        <translation>Gezeigt wie in Schritt {number} ausgeführt.</translation>
    </message>
    <message>
        <source>Executed</source>
        <translation>Ausgeführt</translation>
    </message>
    <message>
        <source>Not executed yet</source>
        <translation>Noch nicht ausgeführt</translation>
    </message>
    <message>
        <source>Not executed in this step</source>
        <translation>In diesem Schritt nicht ausgeführt</translation>
    </message>
    <message>
        <source>Interrupted by an exception or by the end of the run</source>
        <translation>Durch eine Ausnahme oder das Ende des Laufs unterbrochen</translation>
    </message>
    <message>
        <source>This line called {op}.</source>
        <translation>Diese Zeile hat {op} aufgerufen.</translation>
    </message>
    <message>
        <source>{type} was called to handle {function}.</source>
        <translation>{type} wurde aufgerufen, um {function} zu behandeln.</translation>
    </message>
    <message>
        <source>{node} is part of torch. The line that created it was not recorded.</source>
        <translation>{node} gehört zu torch. Die Zeile, die den Knoten erzeugt hat, wurde nicht aufgezeichnet.</translation>
    </message>
    <message>
        <source>{node} is part of torch. Line {line} created it.</source>
        <translation>{node} gehört zu torch. Zeile {line} hat den Knoten erzeugt.</translation>
    </message>
    <message>
        <source>{node} is part of torch; this line started backward.</source>
        <translation>{node} gehört zu torch; diese Zeile hat backward gestartet.</translation>
    </message>
    <message>
        <source>Torch accumulates .grad; this line started backward.</source>
        <translation>torch akkumuliert .grad; diese Zeile hat backward gestartet.</translation>
    </message>
    <message>
        <source>Torch accumulates {name}.grad; this line started backward.</source>
        <translation>torch akkumuliert {name}.grad; diese Zeile hat backward gestartet.</translation>
    </message>
    <message>
        <source>This line starts the backward pass.</source>
        <translation>Diese Zeile startet den Backward-Durchlauf.</translation>
    </message>
    <message>
        <source>The backward pass that this line started has ended.</source>
        <translation>Der Backward-Durchlauf, den diese Zeile gestartet hat, ist beendet.</translation>
    </message>
    <message>
        <source>{exception} was raised here.</source>
        <translation>{exception} wurde hier ausgelöst.</translation>
    </message>
    <message>
        <source>It fills ctx after forward has returned.</source>
        <translation>Füllt ctx, nachdem forward beendet ist.</translation>
    </message>
    <message>
        <source>It has returned; torch saves what backward needs.</source>
        <translation>Ist beendet; torch speichert, was backward braucht.</translation>
    </message>
    <message>
        <source>It has returned; the engine checks its gradients.</source>
        <translation>Ist beendet; die Engine prüft die Gradienten.</translation>
    </message>
    <message>
        <source>This line is running.</source>
        <translation>Diese Zeile läuft gerade.</translation>
    </message>
    <message>
        <source>This line did not finish.</source>
        <translation>Diese Zeile wurde nicht zu Ende ausgeführt.</translation>
    </message>
    <message>
        <source>This line has just run.</source>
        <translation>Diese Zeile wurde eben ausgeführt.</translation>
    </message>
    <message>
        <source>{name}: {value}</source>
        <translation>{name}: {value}</translation>
    </message>
    <message>
        <source>{text} (NumPy: not tracked by autograd)</source>
        <translation>{text} (NumPy: von autograd nicht verfolgt)</translation>
    </message>
    <message>
        <source>{text}; set by this line</source>
        <translation>{text}; von dieser Zeile gesetzt</translation>
    </message>
    <message>
        <source>NumPy: not tracked by autograd</source>
        <translation>NumPy: von autograd nicht verfolgt</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>{text} (NumPy)</source>
        <translation>{text} (NumPy)</translation>
    </message>
    <message>
        <source>{name} = {value}</source>
        <translation>{name} = {value}</translation>
    </message>
    <message>
        <source>{name} deleted</source>
        <translation>{name} gelöscht</translation>
    </message>
    <message>
        <source>returns {value}</source>
        <translation>gibt {value} zurück</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>leer</translation>
    </message>
    <message>
        <source>all {value}</source>
        <translation>alle {value}</translation>
    </message>
    <message>
        <source>from {low} to {high}</source>
        <translation>von {low} bis {high}</translation>
    </message>
    <message>
        <source>{text}, with NaN or Inf</source>
        <translation>{text}, mit NaN oder Inf</translation>
    </message>
</context>
<context>
    <name>SourceEditor</name>
    <message>
        <source>Save and Run</source>
        <translation>Speichern und ausführen</translation>
    </message>
    <message>
        <source>Save the file, run it, and repeat the last check (Ctrl+S)</source>
        <translation>Datei speichern, ausführen und die letzte Prüfung wiederholen (Strg+S)</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Go back to the recorded source (Esc)</source>
        <translation>Zum aufgezeichneten Quelltext zurückkehren (Esc)</translation>
    </message>
</context>
<context>
    <name>SourcePanel</name>
    <message>
        <source>Source</source>
        <translation>Quelltext</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>Backward</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Forward</translation>
    </message>
    <message>
        <source>line {line}: {code}</source>
        <translation>Zeile {line}: {code}</translation>
    </message>
    <message>
        <source>{text}; {note}</source>
        <translation>{text}; {note}</translation>
    </message>
</context>
<context>
    <name>SpeakerWindow</name>
    <message>
        <source>Speaker View</source>
        <translation>Referentenansicht</translation>
    </message>
    <message>
        <source>Speaker notes</source>
        <translation>Referentennotizen</translation>
    </message>
    <message>
        <source>The audience sees</source>
        <translation>Das Publikum sieht</translation>
    </message>
    <message>
        <source>After the next click</source>
        <translation>Nach dem nächsten Klick</translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation>Uhrzeit</translation>
    </message>
    <message>
        <source>Elapsed and planned time</source>
        <translation>Vergangene und geplante Zeit</translation>
    </message>
    <message>
        <source>Show Notes Here (Enter)</source>
        <translation>Notizen hier anzeigen (Eingabetaste)</translation>
    </message>
    <message>
        <source>The notes are hidden until this window is on your own screen</source>
        <translation>Die Notizen sind verborgen, bis dieses Fenster auf dem eigenen Bildschirm ist</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
    <message>
        <source>{0} / {1}</source>
        <translation>{0} / {1}</translation>
    </message>
    <message>
        <source>end of the lesson</source>
        <translation>Ende der Lektion</translation>
    </message>
    <message>
        <source>Next: {0}</source>
        <translation>Danach: {0}</translation>
    </message>
</context>
<context>
    <name>SpotlightLayer</name>
    <message>
        <source>Spotlight</source>
        <translation>Spotlight</translation>
    </message>
</context>
<context>
    <name>Stage</name>
    <message>
        <source>Please wait</source>
        <translation>Bitte warten</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source>recorded in {0}</source>
        <translation>aufgezeichnet in {0}</translation>
    </message>
    <message>
        <source>damaged: some records are missing</source>
        <translation>beschädigt: einige Einträge fehlen</translation>
    </message>
    <message>
        <source>recording incomplete</source>
        <translation>Aufzeichnung unvollständig</translation>
    </message>
</context>
<context>
    <name>StepLinks</name>
    <message>
        <source>Go to {place}</source>
        <translation>Zu {place} gehen</translation>
    </message>
</context>
<context>
    <name>StopCover</name>
    <message>
        <source>Preparing…</source>
        <translation>Wird vorbereitet…</translation>
    </message>
</context>
<context>
    <name>StopDialog</name>
    <message>
        <source>Edit Stop</source>
        <translation>Station bearbeiten</translation>
    </message>
    <message>
        <source>One line, which takes the place of the question</source>
        <translation>Eine Zeile, die an die Stelle der Frage tritt</translation>
    </message>
    <message>
        <source>Answer at length, for you and for the handout</source>
        <translation>Ausführliche Antwort, für Sie und für das Handout</translation>
    </message>
    <message>
        <source>What each further click shows, with an empty line between two clicks</source>
        <translation>Was jeder weitere Klick zeigt, mit einer leeren Zeile zwischen zwei Klicks</translation>
    </message>
    <message>
        <source>Show the steps up to the next stop</source>
        <translation>Die Schritte bis zur nächsten Station zeigen</translation>
    </message>
    <message>
        <source>&amp;Headline</source>
        <translation>&amp;Überschrift</translation>
    </message>
    <message>
        <source>&amp;Question</source>
        <translation>&amp;Frage</translation>
    </message>
    <message>
        <source>Ans&amp;wer</source>
        <translation>Ant&amp;wort</translation>
    </message>
    <message>
        <source>&amp;Solution</source>
        <translation>&amp;Lösung</translation>
    </message>
    <message>
        <source>&amp;Pictures</source>
        <translation>&amp;Bilder</translation>
    </message>
    <message>
        <source>&amp;Notes</source>
        <translation>&amp;Notizen</translation>
    </message>
    <message>
        <source>&amp;Minutes</source>
        <translation>&amp;Minuten</translation>
    </message>
</context>
<context>
    <name>Suggestions</name>
    <message>
        <source>Check in float64</source>
        <translation>In float64 prüfen</translation>
    </message>
    <message>
        <source>Cast the inputs first, so that rounding cannot cause differences</source>
        <translation>Eingaben zuerst umwandeln, damit Rundung keine Unterschiede verursachen kann</translation>
    </message>
    <message>
        <source>eps {eps}, atol {atol} and rtol {rtol}, suitable for {dtype}</source>
        <translation>eps {eps}, atol {atol} und rtol {rtol}, passend für {dtype}</translation>
    </message>
    <message>
        <source>Check with Wider Tolerances</source>
        <translation>Mit größeren Toleranzen prüfen</translation>
    </message>
    <message>
        <source>Shift Inputs and Check Again</source>
        <translation>Eingaben verschieben und neu prüfen</translation>
    </message>
    <message>
        <source>Add between {low} and {high} to the input elements</source>
        <translation>Zu den Eingabeelementen Werte zwischen {low} und {high} addieren</translation>
    </message>
    <message>
        <source>Shift Inputs Further and Check Again</source>
        <translation>Eingaben weiter verschieben und neu prüfen</translation>
    </message>
    <message>
        <source>Check with eps {eps}</source>
        <translation>Mit eps {eps} prüfen</translation>
    </message>
    <message>
        <source>This eps had the smallest error of those tried</source>
        <translation>Dieses eps hatte den kleinsten Fehler von allen probierten</translation>
    </message>
</context>
<context>
    <name>TensorCopies</name>
    <message>
        <source>Copied {name}.</source>
        <translation>{name} kopiert.</translation>
    </message>
    <message>
        <source>Saved {name} to {path}.</source>
        <translation>{name} unter {path} gespeichert.</translation>
    </message>
    <message>
        <source>Saved {name} to {path} as {dtype}, because NumPy has no {own}.</source>
        <translation>{name} unter {path} als {dtype} gespeichert, weil NumPy kein {own} hat.</translation>
    </message>
</context>
<context>
    <name>TensorMenu</name>
    <message>
        <source>Menu of {name}</source>
        <translation>Menü von {name}</translation>
    </message>
    <message>
        <source>En&amp;large</source>
        <translation>Ver&amp;größern</translation>
    </message>
    <message>
        <source>&amp;What If…</source>
        <translation>&amp;Was-wäre-wenn…</translation>
    </message>
    <message>
        <source>Find Ori&amp;gin of Its NaN or Inf</source>
        <translation>&amp;Ursprung von NaN oder Inf suchen</translation>
    </message>
    <message>
        <source>Find Ori&amp;gin of {element}</source>
        <translation>&amp;Ursprung von {element} suchen</translation>
    </message>
    <message>
        <source>&amp;History of This Tensor</source>
        <translation>&amp;Verlauf dieses Tensors</translation>
    </message>
    <message>
        <source>Copy This Plane as &amp;CSV</source>
        <translation>Diese Ebene als &amp;CSV kopieren</translation>
    </message>
    <message>
        <source>Copy as &amp;CSV</source>
        <translation>Als &amp;CSV kopieren</translation>
    </message>
    <message>
        <source>Copy This Plane as La&amp;TeX</source>
        <translation>Diese Ebene als &amp;LaTeX kopieren</translation>
    </message>
    <message>
        <source>Copy as La&amp;TeX</source>
        <translation>Als &amp;LaTeX kopieren</translation>
    </message>
    <message>
        <source>Copy as &amp;torch.tensor(…)</source>
        <translation>Als &amp;torch.tensor(…) kopieren</translation>
    </message>
    <message>
        <source>Copy &amp;Element {element}</source>
        <translation>&amp;Element {element} kopieren</translation>
    </message>
    <message>
        <source>Copy S&amp;ummary</source>
        <translation>&amp;Zusammenfassung kopieren</translation>
    </message>
    <message>
        <source>&amp;Save as .npy…</source>
        <translation>Als .npy &amp;speichern…</translation>
    </message>
    <message>
        <source>&amp;Save as .npy (as {dtype})…</source>
        <translation>Als .npy &amp;speichern (als {dtype})…</translation>
    </message>
    <message>
        <source>Save Tensor</source>
        <translation>Tensor speichern</translation>
    </message>
    <message>
        <source>NumPy array (*.npy)</source>
        <translation>NumPy-Array (*.npy)</translation>
    </message>
</context>
<context>
    <name>TensorPanel</name>
    <message>
        <source>{name} is hidden until revealed.</source>
        <translation>{name} ist bis zum Aufdecken verborgen.</translation>
    </message>
    <message>
        <source>Fixed: {name} as recorded in step {number}.</source>
        <translation>Fest: {name} wie in Schritt {number} aufgezeichnet.</translation>
    </message>
    <message>
        <source>Following the step: no {name} yet in step {number}.</source>
        <translation>Folgt dem Schritt: {name} gibt es in Schritt {number} noch nicht.</translation>
    </message>
    <message>
        <source>Following the step: {name} as of step {number}.</source>
        <translation>Folgt dem Schritt: {name} in Schritt {number}.</translation>
    </message>
    <message>
        <source>This run does not contain the tensor.</source>
        <translation>Dieser Lauf enthält den Tensor nicht.</translation>
    </message>
    <message>
        <source>Loading elements…</source>
        <translation>Elemente werden geladen…</translation>
    </message>
    <message>
        <source>Created in step {number}; click to go there.</source>
        <translation>In Schritt {number} erzeugt; ein Klick führt dorthin.</translation>
    </message>
    <message>
        <source>from step {number}</source>
        <translation>aus Schritt {number}</translation>
    </message>
    <message>
        <source>This tensor belongs to another run.</source>
        <translation>Dieser Tensor gehört zu einem anderen Lauf.</translation>
    </message>
</context>
<context>
    <name>TensorPanelHeader</name>
    <message>
        <source>follow the step</source>
        <translation>dem Schritt folgen</translation>
    </message>
    <message>
        <source>keep this window</source>
        <translation>Fenster behalten</translation>
    </message>
    <message>
        <source>Show the latest version of this gradient at every step, or stay at this one (Space)</source>
        <translation>Bei jedem Schritt die neueste Version dieses Gradienten zeigen oder bei dieser bleiben (Leertaste)</translation>
    </message>
    <message>
        <source>Follow the step</source>
        <translation>Dem Schritt folgen</translation>
    </message>
    <message>
        <source>Open the next tensor in another window, to compare the two (Space)</source>
        <translation>Den nächsten Tensor in einem anderen Fenster öffnen, um beide zu vergleichen (Leertaste)</translation>
    </message>
    <message>
        <source>Keep this window</source>
        <translation>Dieses Fenster behalten</translation>
    </message>
    <message>
        <source>Copy as Python, CSV or LaTeX, save (menu key)</source>
        <translation>Als Python, CSV oder LaTeX kopieren, speichern (Menütaste)</translation>
    </message>
    <message>
        <source>Copy and more</source>
        <translation>Kopieren und mehr</translation>
    </message>
</context>
<context>
    <name>TensorView</name>
    <message>
        <source>Empty: no elements.</source>
        <translation>Leer: keine Elemente.</translation>
    </message>
    <message>
        <source>Memory {mark}: tensors with the same letter share memory.</source>
        <translation>Speicher {mark}: Tensoren mit demselben Buchstaben teilen sich den Speicher.</translation>
    </message>
    <message>
        <source>Memory {mark} is shared by {names}.</source>
        <translation>Speicher {mark} teilen sich {names}.</translation>
    </message>
    <message>
        <source>Memory {mark} is shared by {names} and others.</source>
        <translation>Speicher {mark} teilen sich {names} und andere.</translation>
    </message>
    <message>
        <source>{name} (step {number})</source>
        <translation>{name} (Schritt {number})</translation>
    </message>
    <message>
        <source>enlarge it to see all kept elements</source>
        <translation>vergrößern, um alle gespeicherten Elemente zu sehen</translation>
    </message>
    <message>
        <source>version {number}</source>
        <translation>Version {number}</translation>
    </message>
    <message>
        <source>no finite elements</source>
        <translation>keine endlichen Elemente</translation>
    </message>
    <message>
        <source>all {value}</source>
        <translation>alle {value}</translation>
    </message>
    <message>
        <source>{true} of {count} True</source>
        <translation>{true} von {count} True</translation>
    </message>
    <message>
        <source>{minimum} … {maximum} · mean {mean} · std {std} · norm {norm}</source>
        <translation>{minimum} … {maximum} · Mittel {mean} · std {std} · Norm {norm}</translation>
    </message>
    <message>
        <source>magnitude: {line}</source>
        <translation>Betrag: {line}</translation>
    </message>
    <message>
        <source>Statistics cover all {count} elements; {kept} of them are shown: {steps} ({why}).</source>
        <translation>Die Statistik umfasst alle {count} Elemente; {kept} davon werden gezeigt: {steps} ({why}).</translation>
    </message>
    <message>
        <source>Showing {kept} of {count} elements: {steps} ({why}).</source>
        <translation>{kept} von {count} Elementen werden gezeigt: {steps} ({why}).</translation>
    </message>
    <message>
        <source>too large to keep</source>
        <translation>zu groß zum Speichern</translation>
    </message>
    <message>
        <source>Values not kept: {why}. Statistics cover all elements.</source>
        <translation>Werte nicht gespeichert: {why}. Die Statistik umfasst alle Elemente.</translation>
    </message>
    <message>
        <source>Values not kept: {why}.</source>
        <translation>Werte nicht gespeichert: {why}.</translation>
    </message>
    <message>
        <source>memory {mark}</source>
        <translation>Speicher {mark}</translation>
    </message>
    <message>
        <source>{name}: {summary}</source>
        <translation>{name}: {summary}</translation>
    </message>
    <message>
        <source>{count} NaN</source>
        <translation>{count} NaN</translation>
    </message>
    <message>
        <source>{count} +Inf</source>
        <translation>{count} +Inf</translation>
    </message>
    <message>
        <source>{count} −Inf</source>
        <translation>{count} −Inf</translation>
    </message>
    <message>
        <source>every {nth} row</source>
        <translation>jede {nth} Zeile</translation>
    </message>
    <message>
        <source>every {nth} column</source>
        <translation>jede {nth} Spalte</translation>
    </message>
    <message>
        <source>every {nth} element</source>
        <translation>jedes {nth} Element</translation>
    </message>
    <message>
        <source>every {nth} index of dimension {axis}</source>
        <translation>jeder {nth} Index der Dimension {axis}</translation>
    </message>
    <message>
        <source>a part</source>
        <translation>ein Teil</translation>
    </message>
    <message>
        <source>{number}st</source>
        <translation>{number}.</translation>
    </message>
    <message>
        <source>{number}nd</source>
        <translation>{number}.</translation>
    </message>
    <message>
        <source>{number}rd</source>
        <translation>{number}.</translation>
    </message>
    <message>
        <source>{number}th</source>
        <translation>{number}.</translation>
    </message>
</context>
<context>
    <name>TensorWindows</name>
    <message>
        <source>Tensor {name}</source>
        <translation>Tensor {name}</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>The run ended with {name}</source>
        <translation>Der Lauf endete mit {name}</translation>
    </message>
    <message>
        <source>A breakpoint is hit here</source>
        <translation>Haltepunkt hier getroffen</translation>
    </message>
    <message>
        <source>differs from the original run</source>
        <translation>weicht vom ursprünglichen Lauf ab</translation>
    </message>
    <message>
        <source>{name} has {nans} NaN</source>
        <translation>{name} hat {nans} NaN</translation>
    </message>
    <message>
        <source>{name} has NaN</source>
        <translation>{name} hat NaN</translation>
    </message>
    <message>
        <source>{name} has {infinities} Inf</source>
        <translation>{name} hat {infinities} Inf</translation>
    </message>
    <message>
        <source>{name} has Inf</source>
        <translation>{name} hat Inf</translation>
    </message>
    <message>
        <source>{name} has {nans} NaN and {infinities} Inf</source>
        <translation>{name} hat {nans} NaN und {infinities} Inf</translation>
    </message>
    <message>
        <source>{name} has NaN and Inf</source>
        <translation>{name} hat NaN und Inf</translation>
    </message>
    <message>
        <source>no steps</source>
        <translation>keine Schritte</translation>
    </message>
    <message>
        <source>forward · step {0} of {1}</source>
        <translation>forward · Schritt {0} von {1}</translation>
    </message>
    <message>
        <source>backward · step {0} of {1}</source>
        <translation>backward · Schritt {0} von {1}</translation>
    </message>
    <message>
        <source>optimizer · step {0} of {1}</source>
        <translation>Optimizer · Schritt {0} von {1}</translation>
    </message>
    <message>
        <source>step {0} of {1}</source>
        <translation>Schritt {0} von {1}</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>forward</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>backward</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimizer</translation>
    </message>
    <message>
        <source>phase {0} of {1} · {2} · steps {3}–{4}</source>
        <translation>Phase {0} von {1} · {2} · Schritte {3}–{4}</translation>
    </message>
    <message>
        <source>next: the answer</source>
        <translation>danach: die Antwort</translation>
    </message>
    <message>
        <source>end of run</source>
        <translation>Ende des Laufs</translation>
    </message>
    <message>
        <source>next: {0}</source>
        <translation>danach: {0}</translation>
    </message>
    <message>
        <source>step {0}: {1}</source>
        <translation>Schritt {0}: {1}</translation>
    </message>
    <message>
        <source>backward {0}</source>
        <translation>backward {0}</translation>
    </message>
    <message>
        <source>step</source>
        <translation>step</translation>
    </message>
    <message>
        <source>backward {0}: {1}</source>
        <translation>backward {0}: {1}</translation>
    </message>
</context>
<context>
    <name>TimelineBar</name>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
</context>
<context>
    <name>TimelineControls</name>
    <message>
        <source>First step</source>
        <translation>Erster Schritt</translation>
    </message>
    <message>
        <source>One step back</source>
        <translation>Einen Schritt zurück</translation>
    </message>
    <message>
        <source>Play or pause</source>
        <translation>Abspielen oder anhalten</translation>
    </message>
    <message>
        <source>One step forward</source>
        <translation>Einen Schritt vor</translation>
    </message>
    <message>
        <source>Last step</source>
        <translation>Letzter Schritt</translation>
    </message>
</context>
<context>
    <name>TimelinePanel</name>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Abspielen</translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Top Bar</source>
        <translation>Kopfleiste</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Device</translation>
    </message>
    <message>
        <source>Device on which inputs are created</source>
        <translation>Device, auf dem die Eingaben erzeugt werden</translation>
    </message>
    <message>
        <source>Run again with these inputs</source>
        <translation>Mit diesen Eingaben erneut ausführen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stop what is running</source>
        <translation>Anhalten, was gerade läuft</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>Menü</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ansicht</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>Jacobians</source>
        <translation>Jacobi</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>no float64: inputs are created as float32</source>
        <translation>kein float64: Eingaben werden als float32 erzeugt</translation>
    </message>
    <message>
        <source>inputs changed: {0} runs them</source>
        <translation>Eingaben geändert: {0} führt sie aus</translation>
    </message>
</context>
<context>
    <name>TraceFollower</name>
    <message numerus="yes">
        <source>The recording is complete: %Ln step(s).</source>
        <translation>
            <numerusform>Die Aufzeichnung ist vollständig: %Ln Schritt.</numerusform>
            <numerusform>Die Aufzeichnung ist vollständig: %Ln Schritte.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Recording is in progress: %Ln step(s)</source>
        <translation>
            <numerusform>Aufzeichnung läuft: %Ln Schritt</numerusform>
            <numerusform>Aufzeichnung läuft: %Ln Schritte</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Training</name>
    <message>
        <source>NaN, Inf or not recorded</source>
        <translation>NaN, Inf oder nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>gradient norm of {0}</source>
        <translation>Gradientennorm von {0}</translation>
    </message>
    <message>
        <source>norm of {0}</source>
        <translation>Norm von {0}</translation>
    </message>
    <message>
        <source>saved for backward</source>
        <translation>gespeichert</translation>
    </message>
    <message>
        <source>time, with recording</source>
        <translation>Zeit mit Recorder</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>Gradient</translation>
    </message>
    <message>
        <source>NaN or Inf</source>
        <translation>NaN oder Inf</translation>
    </message>
    <message>
        <source>no update</source>
        <translation>kein Update</translation>
    </message>
</context>
<context>
    <name>TrainingPanel</name>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Show the numbers, one row each</source>
        <translation>Zahlen zeigen, je eine Zeile</translation>
    </message>
    <message>
        <source>All Iterations</source>
        <translation>Alle Iterationen</translation>
    </message>
    <message>
        <source>Show the graph of the whole run</source>
        <translation>Graph des ganzen Laufs zeigen</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>Änderungen</translation>
    </message>
    <message>
        <source>Show what this iteration changed in each parameter</source>
        <translation>Zeigen, was diese Iteration an jedem Parameter änderte</translation>
    </message>
    <message>
        <source>Compare other iterations with this one</source>
        <translation>Andere Iterationen mit dieser vergleichen</translation>
    </message>
    <message>
        <source>Compare all values of both iterations</source>
        <translation>Alle Werte beider Iterationen vergleichen</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Show the gradients of this pass by layer</source>
        <translation>Gradienten dieses Durchlaufs nach Schichten zeigen</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Show what is saved for this pass</source>
        <translation>Zeigen, was für diesen Durchlauf gespeichert ist</translation>
    </message>
    <message>
        <source>Run the program again and record these iterations, to see what led to this one. If it sets no seed, it may take another course.</source>
        <translation>Das Programm noch einmal ausführen und diese Iterationen aufzeichnen, um zu sehen, was zu dieser geführt hat. Setzt es keinen Seed, kann es anders verlaufen.</translation>
    </message>
    <message>
        <source>Reading losses and gradients…</source>
        <translation>Losses und Gradienten werden gelesen …</translation>
    </message>
    <message>
        <source>This run has fewer than two iterations.</source>
        <translation>Dieser Lauf hat weniger als zwei Iterationen.</translation>
    </message>
    <message>
        <source>No curves: fewer than two iterations</source>
        <translation>Keine Kurven: weniger als zwei Iterationen</translation>
    </message>
    <message>
        <source>Runs with several iterations are plotted here.</source>
        <translation>Hier werden Läufe mit mehreren Iterationen gezeichnet.</translation>
    </message>
    <message>
        <source>Record {0} to {1}</source>
        <translation>{0} bis {1} aufzeichnen</translation>
    </message>
    <message>
        <source>Compare Others With Iteration {0}</source>
        <translation>Andere mit Iteration {0} vergleichen</translation>
    </message>
    <message>
        <source>Compare With Iteration {0}</source>
        <translation>Mit Iteration {0} vergleichen</translation>
    </message>
    <message>
        <source>no forward</source>
        <translation>kein Forward</translation>
    </message>
    <message>
        <source>Iteration {0} of {1}</source>
        <translation>Iteration {0} von {1}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln pass(es)</source>
        <translation>
            <numerusform>%Ln Durchlauf</numerusform>
            <numerusform>%Ln Durchläufe</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln update(s)</source>
        <translation>
            <numerusform>%Ln Update</numerusform>
            <numerusform>%Ln Updates</numerusform>
        </translation>
    </message>
    <message>
        <source>no update</source>
        <translation>kein Update</translation>
    </message>
    <message>
        <source>Iteration {0} of {1}: {2}</source>
        <translation>Iteration {0} von {1}: {2}</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Training</translation>
    </message>
</context>
<context>
    <name>TrainingTable</name>
    <message>
        <source>Loss and gradient norms by iteration</source>
        <translation>Loss und Gradientennormen je Iteration</translation>
    </message>
    <message>
        <source>NaN, Inf or not recorded</source>
        <translation>NaN, Inf oder nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>{0} more: use gradviz steps --format json</source>
        <translation>{0} weitere: gradviz steps --format json verwenden</translation>
    </message>
    <message>
        <source>iteration</source>
        <translation>Iteration</translation>
    </message>
</context>
<context>
    <name>TrialsList</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy all rows with tab-separated columns</source>
        <translation>Alle Zeilen mit tabulatorgetrennten Spalten kopieren</translation>
    </message>
</context>
<context>
    <name>UndeclaredNotice</name>
    <message>
        <source>Make Inputs</source>
        <translation>Eingaben erzeugen</translation>
    </message>
    <message>
        <source>Try shapes and kinds of values until backward runs</source>
        <translation>Shapes und Arten von Werten ausprobieren, bis backward läuft</translation>
    </message>
    <message>
        <source>Add to File…</source>
        <translation>In Datei einfügen…</translation>
    </message>
    <message>
        <source>Show the lines that declare these inputs in the file</source>
        <translation>Die Zeilen zeigen, die diese Eingaben in der Datei deklarieren</translation>
    </message>
    <message>
        <source>{0} declares no inputs for {1}.</source>
        <translation>{0} deklariert keine Eingaben für {1}.</translation>
    </message>
</context>
<context>
    <name>UndoController</name>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>&amp;Undo: {0}</source>
        <translation>&amp;Rückgängig: {0}</translation>
    </message>
    <message>
        <source>&amp;Redo: {0}</source>
        <translation>&amp;Wiederholen: {0}</translation>
    </message>
</context>
<context>
    <name>UnusualLine</name>
    <message>
        <source>{0} recorded</source>
        <translation>{0} aufgezeichneten</translation>
    </message>
    <message>
        <source>No unusual value compared with the {0} iterations before</source>
        <translation>Kein auffälliger Wert gegenüber den {0} Iterationen davor</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
    <message>
        <source>{0} in the update before</source>
        <translation>{0} in der Aktualisierung davor</translation>
    </message>
    <message>
        <source>First unusual value: {0}, {1} times as large as in the {2} iterations before</source>
        <translation>Erster auffälliger Wert: {0}, {1}-mal so groß wie in den {2} Iterationen davor</translation>
    </message>
    <message>
        <source>First unusual value: {0}, all {1}, unlike in the {2} iterations before</source>
        <translation>Erster auffälliger Wert: {0}, alle {1}, anders als in den {2} Iterationen davor</translation>
    </message>
    <message>
        <source>First unusual value: {0} has NaN or Inf, unlike in the {1} iterations before</source>
        <translation>Erster auffälliger Wert: {0} enthält NaN oder Inf, anders als in den {1} Iterationen davor</translation>
    </message>
    <message>
        <source>Click to go to it</source>
        <translation>Klicken Sie, um dorthin zu gehen</translation>
    </message>
    <message>
        <source>{0}, at most {1} before (root mean square of the elements)</source>
        <translation>{0}, davor höchstens {1} (quadratisches Mittel der Elemente)</translation>
    </message>
    <message>
        <source>{0}, at most {1} before</source>
        <translation>{0}, davor höchstens {1}</translation>
    </message>
</context>
<context>
    <name>ValueEditor</name>
    <message>
        <source>New values</source>
        <translation>Neue Werte</translation>
    </message>
    <message>
        <source>Add Change</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Kind of change</source>
        <translation>Art der Änderung</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>Zahl</translation>
    </message>
    <message>
        <source>{0} ({1}, {2})</source>
        <translation>{0} ({1}, {2})</translation>
    </message>
    <message>
        <source>Individual elements</source>
        <translation>Einzelne Elemente</translation>
    </message>
    <message>
        <source>Set all elements to</source>
        <translation>Alle Elemente setzen auf</translation>
    </message>
    <message>
        <source>Multiply by</source>
        <translation>Multiplizieren mit</translation>
    </message>
    <message>
        <source>Enter a number.</source>
        <translation>Zahl eingeben.</translation>
    </message>
    <message>
        <source>Enter new values.</source>
        <translation>Neue Werte eingeben.</translation>
    </message>
    <message>
        <source>The shape must stay {0}.</source>
        <translation>Die Shape muss {0} bleiben.</translation>
    </message>
</context>
<context>
    <name>ValuePairTable</name>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Rechts</translation>
    </message>
    <message>
        <source>Right − left</source>
        <translation>Differenz</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>Vergleich</translation>
    </message>
</context>
<context>
    <name>ValuePairView</name>
    <message>
        <source>Selected value in both runs</source>
        <translation>Ausgewählter Wert in beiden Läufen</translation>
    </message>
    <message>
        <source>{0}, left</source>
        <translation>{0}, links</translation>
    </message>
    <message>
        <source>{0}, right</source>
        <translation>{0}, rechts</translation>
    </message>
    <message>
        <source>right − left</source>
        <translation>rechts − links</translation>
    </message>
</context>
<context>
    <name>ValueSparkline</name>
    <message>
        <source>Show this value over all iterations in the Training tab</source>
        <translation>Diesen Wert über alle Iterationen im Tab Training zeigen</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>{0} = {1}</source>
        <translation>{0} = {1}</translation>
    </message>
    <message>
        <source>norm of {0} = {1}</source>
        <translation>Norm von {0} = {1}</translation>
    </message>
    <message>
        <source>over {0} iterations</source>
        <translation>über {0} Iterationen</translation>
    </message>
</context>
<context>
    <name>VerdictView</name>
    <message>
        <source>{rule} · {circumstances}</source>
        <translation>{rule} · {circumstances}</translation>
    </message>
</context>
<context>
    <name>ViewOptions</name>
    <message>
        <source>log counts</source>
        <translation>logarithmisch</translation>
    </message>
    <message>
        <source>both parts</source>
        <translation>beide Teile</translation>
    </message>
    <message>
        <source>real part</source>
        <translation>Realteil</translation>
    </message>
    <message>
        <source>imaginary part</source>
        <translation>Imaginärteil</translation>
    </message>
    <message>
        <source>magnitude</source>
        <translation>Betrag</translation>
    </message>
    <message>
        <source>angle</source>
        <translation>Winkel</translation>
    </message>
    <message>
        <source>Part of the complex values</source>
        <translation>Teil der komplexen Werte</translation>
    </message>
    <message>
        <source>Part of the complex values to show (Up, Down); both parts are colored by magnitude</source>
        <translation>Gezeigter Teil der komplexen Werte (Pfeil auf/ab); beide Teile werden nach Betrag gefärbt</translation>
    </message>
    <message>
        <source>colors for all values</source>
        <translation>Farben für alle Werte</translation>
    </message>
    <message>
        <source>colors for 99% of the values</source>
        <translation>Farben für 99 % der Werte</translation>
    </message>
    <message>
        <source>Range of the color scale</source>
        <translation>Bereich der Farbskala</translation>
    </message>
    <message>
        <source>Whether the color scale covers the largest values (Up, Down)</source>
        <translation>Ob die Farbskala die größten Werte umfasst (Pfeil auf/ab)</translation>
    </message>
    <message>
        <source>Draw the counts on a logarithmic scale (Space)</source>
        <translation>Anzahlen auf einer logarithmischen Skala zeichnen (Leertaste)</translation>
    </message>
    <message>
        <source>Logarithmic counts</source>
        <translation>Logarithmische Anzahlen</translation>
    </message>
</context>
<context>
    <name>Walkthrough</name>
    <message>
        <source>This line computes {gradient}</source>
        <translation>Diese Zeile berechnet {gradient}</translation>
    </message>
    <message>
        <source>{check} · {pair}</source>
        <translation>{check} · {pair}</translation>
    </message>
    <message>
        <source>Diagnosis: {title}</source>
        <translation>Diagnose: {title}</translation>
    </message>
    <message>
        <source>Diagnosis: {title} ({confidence})</source>
        <translation>Diagnose: {title} ({confidence})</translation>
    </message>
    <message>
        <source>Repair: {message} Then {wrong} of {count} elements are wrong.</source>
        <translation>Reparatur: {message} Danach sind {wrong} von {count} Elementen falsch.</translation>
    </message>
    <message>
        <source>What finite differences measure: change one element of {input} by {eps}, and see how {output}, which backward returns, changes.</source>
        <translation>Was finite Differenzen messen: ein Element von {input} um {eps} ändern und sehen, wie sich {output} ändert, also was backward zurückgibt.</translation>
    </message>
    <message>
        <source>What finite differences measure: change one element of {input} by {eps}, and see how {output} changes.</source>
        <translation>Was finite Differenzen messen: ein Element von {input} um {eps} ändern und sehen, wie sich {output} ändert.</translation>
    </message>
    <message>
        <source>What differentiating backward gives: the gradient of {input}, for one element of {output} at a time.</source>
        <translation>Was das Differenzieren von backward ergibt: der Gradient von {input}, jeweils für ein Element von {output}.</translation>
    </message>
    <message>
        <source>What backward returns: the gradient of {input}, for one element of {output} at a time.</source>
        <translation>Was backward zurückgibt: der Gradient von {input}, jeweils für ein Element von {output}.</translation>
    </message>
    <message>
        <source>Where they differ: {wrong} of {count} elements.</source>
        <translation>Wo sie sich unterscheiden: {wrong} von {count} Elementen.</translation>
    </message>
    <message>
        <source>They differ in their only element.</source>
        <translation>Sie unterscheiden sich in ihrem einzigen Element.</translation>
    </message>
    <message>
        <source>The difference is zero within the tolerance, in all {count} elements.</source>
        <translation>Die Differenz ist innerhalb der Toleranz null, in allen {count} Elementen.</translation>
    </message>
    <message>
        <source>The difference is zero within the tolerance.</source>
        <translation>Die Differenz ist innerhalb der Toleranz null.</translation>
    </message>
    <message>
        <source>The worst element: {output} with respect to {input}. Backward returns {analytical} instead of {numerical}.</source>
        <translation>Der größte Fehler: {output} abgeleitet nach {input}. backward gibt {analytical} statt {numerical} zurück.</translation>
    </message>
    <message>
        <source>The worst element: {output} with respect to {input}. Double backward returns {analytical} instead of {numerical}.</source>
        <translation>Der größte Fehler: {output} abgeleitet nach {input}. Das doppelte Backward gibt {analytical} statt {numerical} zurück.</translation>
    </message>
    <message>
        <source>Is eps to blame? No: each eps tried gives nearly the same error.</source>
        <translation>Liegt es an eps? Nein: Jedes probierte eps ergibt fast denselben Fehler.</translation>
    </message>
    <message>
        <source>Is eps to blame? No eps tried brings the error within the tolerance.</source>
        <translation>Liegt es an eps? Kein probiertes eps bringt den Fehler in die Toleranz.</translation>
    </message>
    <message>
        <source>Is eps to blame? With eps {eps}, this element is within the tolerance.</source>
        <translation>Liegt es an eps? Mit eps {eps} liegt dieses Element in der Toleranz.</translation>
    </message>
    <message>
        <source>Also wrong: {pair}, {wrong} of {count} elements.</source>
        <translation>Auch falsch: {pair}, {wrong} von {count} Elementen.</translation>
    </message>
    <message>
        <source>Also wrong, although all elements agree: {pair}.</source>
        <translation>Auch falsch, obwohl alle Elemente übereinstimmen: {pair}.</translation>
    </message>
    <message>
        <source>{sentence} Diagnosis: {title}</source>
        <translation>{sentence} Diagnose: {title}</translation>
    </message>
    <message>
        <source>An element is wrong if |analytical − numerical| &gt; {atol} + {rtol} · |numerical|.</source>
        <translation>Ein Element ist falsch, wenn |analytisch − numerisch| &gt; {atol} + {rtol} · |numerisch|.</translation>
    </message>
    <message>
        <source>The pair {names} agrees.</source>
        <translation>Das Paar {names} stimmt überein.</translation>
    </message>
    <message>
        <source>These pairs agree: {names}.</source>
        <translation>Diese Paare stimmen überein: {names}.</translation>
    </message>
    <message>
        <source>All {count} pairs agree: {names}.</source>
        <translation>Alle {count} Paare stimmen überein: {names}.</translation>
    </message>
    <message>
        <source>Step {0}</source>
        <translation>Schritt {0}</translation>
    </message>
    <message>
        <source>These steps differ, too.</source>
        <translation>Auch diese Schritte weichen ab.</translation>
    </message>
    <message>
        <source>Equal runs</source>
        <translation>Gleiche Läufe</translation>
    </message>
    <message>
        <source>Two runs in step</source>
        <translation>Zwei Läufe im Gleichschritt</translation>
    </message>
    <message>
        <source>First difference</source>
        <translation>Erster Unterschied</translation>
    </message>
    <message>
        <source>Consequence</source>
        <translation>Folge</translation>
    </message>
    <message>
        <source>Largest rounding difference</source>
        <translation>Größter Rundungsunterschied</translation>
    </message>
</context>
<context>
    <name>WhatIfController</name>
    <message>
        <source>Only a number of an input or a parameter can be turned, and only in a run that gradviz can repeat.</source>
        <translation>Nur eine Zahl einer Eingabe oder eines Parameters lässt sich verändern, und nur in einem Lauf, den gradviz wiederholen kann.</translation>
    </message>
</context>
<context>
    <name>WhatIfPanel</name>
    <message>
        <source>What if a value were different? Choose Change, or What If in a tensor&apos;s menu. You can change inputs, parameters, saved tensors and gradients. The code then runs again with only these changes, and each step is compared with the original run.</source>
        <translation>Was wäre, wenn ein Wert anders wäre? Wählen Sie „Ändern“ oder „Was-wäre-wenn…“ im Menü eines Tensors. Ändern lassen sich Eingaben, Parameter, gespeicherte Tensoren und Gradienten. Der Code läuft dann erneut, nur mit diesen Änderungen, und jeder Schritt wird mit dem ursprünglichen Lauf verglichen.</translation>
    </message>
    <message>
        <source>No changes yet.</source>
        <translation>Noch keine Änderungen.</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Ändern</translation>
    </message>
    <message>
        <source>Change a value of the current step</source>
        <translation>Einen Wert des aktuellen Schritts ändern</translation>
    </message>
    <message>
        <source>What If</source>
        <translation>Was-wäre-wenn</translation>
    </message>
</context>
<context>
    <name>WindowContent</name>
    <message>
        <source>Run executes the whole file, as python does.</source>
        <translation>Ausführen startet die ganze Datei wie python.</translation>
    </message>
    <message>
        <source>Run executes the whole file: loop in line {0}, backward in line {1}</source>
        <translation>Ausführen startet die ganze Datei: Schleife in Zeile {0}, backward in Zeile {1}</translation>
    </message>
    <message>
        <source>, update in line {2}.</source>
        <translation>, Update in Zeile {2}.</translation>
    </message>
</context>
<context>
    <name>WindowStatusBar</name>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>{0} runs again when saved</source>
        <translation>{0} wird beim Speichern neu ausgeführt</translation>
    </message>
    <message>
        <source>{0} ({1} s)</source>
        <translation>{0} ({1} s)</translation>
    </message>
    <message>
        <source>{0}…</source>
        <translation>{0}…</translation>
    </message>
    <message>
        <source>Importing PyTorch…</source>
        <translation>PyTorch wird importiert…</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>PyTorch is not available</source>
        <translation>PyTorch ist nicht verfügbar</translation>
    </message>
    <message>
        <source>recorded beforehand</source>
        <translation>vorab aufgezeichnet</translation>
    </message>
</context>
<context>
    <name>WindowTitle</name>
    <message>
        <source>What If: {0}</source>
        <translation>Was-wäre-wenn: {0}</translation>
    </message>
    <message>
        <source>{0} – gradviz</source>
        <translation>{0} – gradviz</translation>
    </message>
    <message>
        <source>{0} – {1} – gradviz</source>
        <translation>{0} – {1} – gradviz</translation>
    </message>
</context>
<context>
    <name>WorkStatus</name>
    <message>
        <source>Running the code: backward pass {0}</source>
        <translation>Code wird ausgeführt: Backward-Durchlauf {0}</translation>
    </message>
    <message>
        <source>Laying out the graph</source>
        <translation>Graph wird angeordnet</translation>
    </message>
    <message>
        <source>Recorded beforehand with torch {0} on {1}; importing PyTorch</source>
        <translation>Mit torch {0} auf {1} vorab aufgezeichnet; PyTorch wird importiert</translation>
    </message>
    <message>
        <source>Importing PyTorch before running the code</source>
        <translation>PyTorch wird vor dem Ausführen des Codes importiert</translation>
    </message>
    <message>
        <source>Opening the trace</source>
        <translation>Trace wird geöffnet</translation>
    </message>
    <message>
        <source>Reading the file</source>
        <translation>Datei wird gelesen</translation>
    </message>
    <message>
        <source>Running the code</source>
        <translation>Code wird ausgeführt</translation>
    </message>
    <message>
        <source>Computing Jacobians</source>
        <translation>Jacobi-Matrizen werden berechnet</translation>
    </message>
</context>
<context>
    <name>WorstList</name>
    <message>
        <source>Elements with the largest errors relative to the tolerance</source>
        <translation>Elemente mit den größten Fehlern im Verhältnis zur Toleranz</translation>
    </message>
    <message>
        <source>Press Ctrl+C to copy the list with all digits</source>
        <translation>Strg+C kopiert die Liste mit allen Ziffern</translation>
    </message>
</context>
<context>
    <name>_PairRow</name>
    <message>
        <source>numerical: {known} of {count} rows</source>
        <translation>numerisch: {known} von {count} Zeilen</translation>
    </message>
    <message>
        <source>analytical: {known} of {count} columns</source>
        <translation>analytisch: {known} von {count} Spalten</translation>
    </message>
</context>
<context>
    <name>plural</name>
    <message numerus="yes">
        <source>And %Ln more step(s)</source>
        <translation>
            <numerusform>Und %Ln weiterer Schritt</numerusform>
            <numerusform>Und %Ln weitere Schritte</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{0}… (%Ln more character(s) in this line)</source>
        <translation>
            <numerusform>{0}… (%Ln weiteres Zeichen in dieser Zeile)</numerusform>
            <numerusform>{0}… (%Ln weitere Zeichen in dieser Zeile)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{0} and %Ln more are not Python files (.py), notebooks (.ipynb), traces (.gradviz) or lessons (.gradviz-lesson).</source>
        <translation>
            <numerusform>{0} und %Ln weitere Datei sind keine Python-Dateien (.py), Notebooks (.ipynb), Traces (.gradviz) oder Lektionen (.gradviz-lesson).</numerusform>
            <numerusform>{0} und %Ln weitere Dateien sind keine Python-Dateien (.py), Notebooks (.ipynb), Traces (.gradviz) oder Lektionen (.gradviz-lesson).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln element(s) are not valid. The first, {0}: {1}</source>
        <translation>
            <numerusform>%Ln Element ist ungültig. Das erste, {0}: {1}</numerusform>
            <numerusform>%Ln Elemente sind ungültig. Das erste, {0}: {1}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln element(s) are rounded to {0}. {1}</source>
        <translation>
            <numerusform>%Ln Element wird auf {0} gerundet. {1}</numerusform>
            <numerusform>%Ln Elemente werden auf {0} gerundet. {1}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{text} %Ln pair(s) are finished.</source>
        <translation>
            <numerusform>{text} %Ln Paar ist fertig.</numerusform>
            <numerusform>{text} %Ln Paare sind fertig.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln evaluation(s) in {time}</source>
        <translation>
            <numerusform>%Ln Auswertung in {time}</numerusform>
            <numerusform>%Ln Auswertungen in {time}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Executed %Ln time(s)</source>
        <translation>
            <numerusform>%Ln-mal ausgeführt</numerusform>
            <numerusform>%Ln-mal ausgeführt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{value}: {count} element(s)</source>
        <translation>
            <numerusform>{value}: {count} Element</numerusform>
            <numerusform>{value}: {count} Elemente</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>from {low} to {high}: {count} element(s)</source>
        <translation>
            <numerusform>von {low} bis {high}: {count} Element</numerusform>
            <numerusform>von {low} bis {high}: {count} Elemente</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{line} · {count} zero(s)</source>
        <translation>
            <numerusform>{line} · {count} Null</numerusform>
            <numerusform>{line} · {count} Nullen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} element(s)</source>
        <translation>
            <numerusform>{count} Element</numerusform>
            <numerusform>{count} Elemente</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>prints %Ln line(s)</source>
        <translation>
            <numerusform>gibt %Ln Zeile aus</numerusform>
            <numerusform>gibt %Ln Zeilen aus</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln step(s)</source>
        <translation>
            <numerusform>%Ln Schritt</numerusform>
            <numerusform>%Ln Schritte</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln tensor(s)</source>
        <translation>
            <numerusform>%Ln Tensor</numerusform>
            <numerusform>%Ln Tensoren</numerusform>
        </translation>
    </message>
</context>
</TS>
