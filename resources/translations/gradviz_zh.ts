<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh" sourcelanguage="en">
<context>
    <name>About</name>
    <message>
        <source>not installed</source>
        <translation>未安装</translation>
    </message>
</context>
<context>
    <name>AboutDialog</name>
    <message>
        <source>About gradviz</source>
        <translation>关于 gradviz</translation>
    </message>
    <message>
        <source>Makes PyTorch&apos;s autograd visible, step by step. Runs entirely on this machine.</source>
        <translation>让 PyTorch 的 autograd 一步步看得见。完全在本机运行。</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>版本</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>&amp;New Window</source>
        <translation>新建窗口(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>Open in New &amp;Window…</source>
        <translation>在新窗口中打开(&amp;W)…</translation>
    </message>
    <message>
        <source>&amp;Save Trace As…</source>
        <translation>跟踪记录另存为(&amp;S)…</translation>
    </message>
    <message>
        <source>Export Run as &amp;HTML Page…</source>
        <translation>将运行导出为 HTML 页面(&amp;H)…</translation>
    </message>
    <message>
        <source>Export &amp;Graph as SVG, PDF, PNG or DOT…</source>
        <translation>将计算图导出为 SVG、PDF、PNG 或 DOT(&amp;G)…</translation>
    </message>
    <message>
        <source>Export &amp;Film as MP4 or GIF…</source>
        <translation>将动画导出为 MP4 或 GIF(&amp;F)…</translation>
    </message>
    <message>
        <source>Export T&amp;ensors as NPZ or safetensors…</source>
        <translation>将张量导出为 NPZ 或 safetensors(&amp;E)…</translation>
    </message>
    <message>
        <source>Se&amp;ttings…</source>
        <translation>设置(&amp;T)…</translation>
    </message>
    <message>
        <source>&amp;Close Window</source>
        <translation>关闭窗口(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;About gradviz</source>
        <translation>关于 gradviz(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>Run as Scrip&amp;t…</source>
        <translation>作为脚本运行(&amp;T)…</translation>
    </message>
    <message>
        <source>Sto&amp;p</source>
        <translation>停止(&amp;P)</translation>
    </message>
    <message>
        <source>Run Again When File Is &amp;Saved</source>
        <translation>文件保存后重新运行(&amp;S)</translation>
    </message>
    <message>
        <source>Record &amp;Lines and Run Again</source>
        <translation>录制行并重新运行(&amp;L)</translation>
    </message>
    <message>
        <source>Record &amp;Nodes Only</source>
        <translation>仅录制节点(&amp;N)</translation>
    </message>
    <message>
        <source>Record Nodes and &amp;Ops</source>
        <translation>录制节点和算子(&amp;O)</translation>
    </message>
    <message>
        <source>Record Nodes and Source L&amp;ines</source>
        <translation>录制节点和源代码行(&amp;I)</translation>
    </message>
    <message>
        <source>Record Nodes, Ops and So&amp;urce Lines</source>
        <translation>录制节点、算子和源代码行(&amp;U)</translation>
    </message>
    <message>
        <source>Node &amp;Details</source>
        <translation>节点详细信息(&amp;D)</translation>
    </message>
    <message>
        <source>Le&amp;gend</source>
        <translation>图例(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Animate Steps</source>
        <translation>步骤动画(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Find…</source>
        <translation>查找(&amp;F)…</translation>
    </message>
    <message>
        <source>Find &amp;Next</source>
        <translation>查找下一个(&amp;N)</translation>
    </message>
    <message>
        <source>Find &amp;Previous</source>
        <translation>查找上一个(&amp;P)</translation>
    </message>
    <message>
        <source>Find Ori&amp;gin</source>
        <translation>查找来源(&amp;G)</translation>
    </message>
    <message>
        <source>Find Origin of Its NaN or &amp;Inf</source>
        <translation>查找其 NaN 或 Inf 的来源(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;History of Pinned Tensor</source>
        <translation>已固定张量的变化历史(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Command Palette…</source>
        <translation>命令面板(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Keyboard Shortcuts…</source>
        <translation>键盘快捷键(&amp;K)…</translation>
    </message>
    <message>
        <source>&amp;Guide</source>
        <translation>指南(&amp;G)</translation>
    </message>
    <message>
        <source>Run &amp;With Changes</source>
        <translation>应用更改并运行(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Back to Original Run</source>
        <translation>返回原始运行(&amp;B)</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Next &amp;Difference</source>
        <translation>下一处差异(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Mark Differences in Graph</source>
        <translation>在计算图中标记差异(&amp;M)</translation>
    </message>
    <message>
        <source>Compare Wit&amp;h…</source>
        <translation>与其他运行比较(&amp;H)…</translation>
    </message>
    <message>
        <source>Ne&amp;xt Difference in Compare</source>
        <translation>比较中的下一处差异(&amp;X)</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一个</translation>
    </message>
    <message>
        <source>Pre&amp;vious Difference in Compare</source>
        <translation>比较中的上一处差异(&amp;V)</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>上一个</translation>
    </message>
    <message>
        <source>Mark in Graph</source>
        <translation>在计算图中标记</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Rese&amp;t Inputs</source>
        <translation>重置输入(&amp;T)</translation>
    </message>
    <message>
        <source>Copy &amp;Link to This Step</source>
        <translation>复制此步骤的链接(&amp;L)</translation>
    </message>
    <message>
        <source>Edit &amp;Source</source>
        <translation>编辑源代码(&amp;S)</translation>
    </message>
    <message>
        <source>Open Source in &amp;Editor</source>
        <translation>在编辑器中打开源代码(&amp;E)</translation>
    </message>
    <message>
        <source>Go to the Step That &amp;Made It</source>
        <translation>转到创建它的步骤(&amp;M)</translation>
    </message>
    <message>
        <source>Go to the Step That &amp;Executes It</source>
        <translation>转到执行它的步骤(&amp;E)</translation>
    </message>
    <message>
        <source>Go to the Step That Made Its &amp;Gradient</source>
        <translation>转到产生其梯度的步骤(&amp;G)</translation>
    </message>
    <message>
        <source>Copy &amp;Name</source>
        <translation>复制名称(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Next Step</source>
        <translation>下一步(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Previous Step</source>
        <translation>上一步(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;First Step</source>
        <translation>第一步(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Last Step</source>
        <translation>最后一步(&amp;L)</translation>
    </message>
    <message>
        <source>Pla&amp;y</source>
        <translation>播放(&amp;Y)</translation>
    </message>
    <message>
        <source>Next Ran&amp;k</source>
        <translation>下一个 rank(&amp;K)</translation>
    </message>
    <message>
        <source>Pre&amp;vious Rank</source>
        <translation>上一个 rank(&amp;V)</translation>
    </message>
    <message>
        <source>Step &amp;Into</source>
        <translation>单步进入(&amp;I)</translation>
    </message>
    <message>
        <source>Step &amp;Out</source>
        <translation>单步跳出(&amp;O)</translation>
    </message>
    <message>
        <source>By P&amp;asses</source>
        <translation>按传播轮次(&amp;A)</translation>
    </message>
    <message>
        <source>By No&amp;des</source>
        <translation>按节点(&amp;D)</translation>
    </message>
    <message>
        <source>By Sta&amp;ges</source>
        <translation>按阶段(&amp;G)</translation>
    </message>
    <message>
        <source>By Lin&amp;es</source>
        <translation>按行(&amp;E)</translation>
    </message>
    <message>
        <source>By Op&amp;s</source>
        <translation>按算子(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Half a Step per Second</source>
        <translation>每秒半步(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;1 Step per Second</source>
        <translation>每秒 &amp;1 步</translation>
    </message>
    <message>
        <source>&amp;2 Steps per Second</source>
        <translation>每秒 &amp;2 步</translation>
    </message>
    <message>
        <source>&amp;5 Steps per Second</source>
        <translation>每秒 &amp;5 步</translation>
    </message>
    <message>
        <source>2&amp;0 Steps per Second</source>
        <translation>每秒 2&amp;0 步</translation>
    </message>
    <message>
        <source>&amp;Set or Remove Breakpoint</source>
        <translation>设置或移除断点(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Run to Next Breakpoint</source>
        <translation>运行到下一个断点(&amp;R)</translation>
    </message>
    <message>
        <source>Run &amp;Back to Breakpoint</source>
        <translation>回退到断点(&amp;B)</translation>
    </message>
    <message>
        <source>Remove &amp;All Breakpoints</source>
        <translation>移除所有断点(&amp;A)</translation>
    </message>
    <message>
        <source>Run to &amp;Here</source>
        <translation>运行到此处(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Fit Graph</source>
        <translation>使计算图适合窗口(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Center Current Node</source>
        <translation>将当前节点居中(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Open Group</source>
        <translation>展开分组(&amp;O)</translation>
    </message>
    <message>
        <source>Clos&amp;e Group</source>
        <translation>折叠分组(&amp;E)</translation>
    </message>
    <message>
        <source>Close Opened Gro&amp;ups</source>
        <translation>折叠已展开的分组(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;100%</source>
        <translation>&amp;100%</translation>
    </message>
    <message>
        <source>Zoom &amp;In</source>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom &amp;Out</source>
        <translation>缩小(&amp;O)</translation>
    </message>
    <message>
        <source>Reset La&amp;yout</source>
        <translation>重置布局(&amp;Y)</translation>
    </message>
    <message>
        <source>&amp;Larger Text</source>
        <translation>放大文字(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Smaller Text</source>
        <translation>缩小文字(&amp;S)</translation>
    </message>
    <message>
        <source>Sho&amp;w Graph</source>
        <translation>显示计算图(&amp;W)</translation>
    </message>
    <message>
        <source>Show &amp;Jacobians</source>
        <translation>显示雅可比(&amp;J)</translation>
    </message>
    <message>
        <source>Show Co&amp;mpare</source>
        <translation>显示比较(&amp;M)</translation>
    </message>
    <message>
        <source>Show T&amp;raining</source>
        <translation>显示训练(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>Color by &amp;Time</source>
        <translation>按时间着色(&amp;T)</translation>
    </message>
    <message>
        <source>Pr&amp;esenter Mode</source>
        <translation>演示模式(&amp;E)</translation>
    </message>
    <message>
        <source>Present O&amp;n</source>
        <translation>演示到屏幕(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Quiz Mode</source>
        <translation>测验模式(&amp;Q)</translation>
    </message>
    <message>
        <source>Hide &amp;Answers Again</source>
        <translation>重新隐藏答案(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Draw With Pen</source>
        <translation>用画笔标注(&amp;D)</translation>
    </message>
    <message>
        <source>Spotlig&amp;ht</source>
        <translation>聚光灯(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Black Screen</source>
        <translation>黑屏(&amp;B)</translation>
    </message>
    <message>
        <source>F&amp;ull Screen</source>
        <translation>全屏(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Check the Gradient</source>
        <translation>检查梯度(&amp;C)</translation>
    </message>
    <message>
        <source>Record a Sampl&amp;e of Many Passes</source>
        <translation>次数很多时只录制一部分反向传播(&amp;E)</translation>
    </message>
    <message>
        <source>Record &amp;All Passes</source>
        <translation>录制全部反向传播(&amp;A)</translation>
    </message>
    <message>
        <source>Next Ite&amp;ration</source>
        <translation>下一次迭代(&amp;R)</translation>
    </message>
    <message>
        <source>Previous I&amp;teration</source>
        <translation>上一次迭代(&amp;T)</translation>
    </message>
    <message>
        <source>S&amp;how All Iterations</source>
        <translation>显示所有迭代(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Next Stop</source>
        <translation>下一个环节(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Previous Stop</source>
        <translation>上一个环节(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Add This View to Lesson</source>
        <translation>将此视图加入课程(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Leave Lesson</source>
        <translation>退出课程(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Speaker View</source>
        <translation>演讲者视图(&amp;S)</translation>
    </message>
</context>
<context>
    <name>AlertChips</name>
    <message>
        <source>Click to go to the next one. First at step {0}: {1}</source>
        <translation>点击转到下一处。首次出现在第 {0} 步：{1}</translation>
    </message>
    <message>
        <source>Click to read them in the Doctor. First at step {0}: {1}</source>
        <translation>点击在 Doctor 中查看。最早在第 {0} 步：{1}</translation>
    </message>
    <message>
        <source>Except in steps that a GradScaler skips, it has reached no root, no gradient of a leaf and no parameter.</source>
        <translation>除了 GradScaler 跳过的步骤之外，它没有到达任何根、叶子张量的梯度或参数。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln error(s)</source>
        <translation>
            <numerusform>%Ln 个错误</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln finding(s)</source>
        <translation>
            <numerusform>%Ln 个问题</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>differs at %Ln step(s)</source>
        <translation>
            <numerusform>%Ln 步不同</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>NaN or Inf: %Ln step(s)</source>
        <translation>
            <numerusform>NaN 或 Inf：%Ln 步</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>isolated NaN or Inf: %Ln step(s)</source>
        <translation>
            <numerusform>孤立的 NaN 或 Inf：%Ln 步</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>App</name>
    <message>
        <source>The language changes when gradviz is started again.</source>
        <translation>重新启动 gradviz 后语言才会更改。</translation>
    </message>
    <message>
        <source>gradviz ended unexpectedly last time. The crash report is at {0}.</source>
        <translation>gradviz 上次意外退出。崩溃报告位于 {0}。</translation>
    </message>
</context>
<context>
    <name>ArgumentFields</name>
    <message>
        <source>Choose File…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>{0} tensors cannot require gradients. Choose a floating-point or complex dtype.</source>
        <translation>{0} 张量不能设 requires_grad。请选择浮点或复数 dtype。</translation>
    </message>
    <message>
        <source>literal</source>
        <translation>字面量</translation>
    </message>
    <message>
        <source>{0}: Python literal</source>
        <translation>{0}：Python 字面量</translation>
    </message>
    <message>
        <source>A Python literal, like 3 or &apos;mean&apos;</source>
        <translation>Python 字面量，如 3 或 &apos;mean&apos;</translation>
    </message>
    <message>
        <source>such as --lr 0.1</source>
        <translation>例如 --lr 0.1</translation>
    </message>
    <message>
        <source>{0} of the script</source>
        <translation>脚本的 {0}</translation>
    </message>
    <message>
        <source>Arguments as on the command line</source>
        <translation>与命令行上相同的参数</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>such as x.npy, or weights.pt:bias</source>
        <translation>例如 x.npy 或 weights.pt:bias</translation>
    </message>
    <message>
        <source>{0}: file</source>
        <translation>{0}：文件</translation>
    </message>
    <message>
        <source>Path of a file with a tensor, and its name after a colon if needed</source>
        <translation>含有张量的文件路径，必要时在冒号后写上张量名称</translation>
    </message>
    <message>
        <source>{0}: kind</source>
        <translation>{0}：种类</translation>
    </message>
    <message>
        <source>{0}: preview of the fill</source>
        <translation>{0}：填充预览</translation>
    </message>
    <message>
        <source>{0}: shape</source>
        <translation>{0}：形状</translation>
    </message>
    <message>
        <source>{0}: dtype</source>
        <translation>{0}：dtype</translation>
    </message>
    <message>
        <source>{0}: fill</source>
        <translation>{0}：填充</translation>
    </message>
    <message>
        <source>{0}: requires_grad</source>
        <translation>{0}：requires_grad</translation>
    </message>
    <message>
        <source>What to pass: a tensor, None, or another object</source>
        <translation>要传入什么：张量、None 或其他对象</translation>
    </message>
    <message>
        <source>Shape, like 2×3; empty for a single number</source>
        <translation>形状，如 2×3；留空表示单个数</translation>
    </message>
    <message>
        <source>scalar</source>
        <translation>标量</translation>
    </message>
    <message>
        <source>dtype</source>
        <translation>dtype</translation>
    </message>
    <message>
        <source>How to create the elements</source>
        <translation>元素的生成方式</translation>
    </message>
    <message>
        <source>Whether to compute a gradient for it</source>
        <translation>是否为它计算梯度</translation>
    </message>
    <message>
        <source>Tensors ({0})</source>
        <translation>张量 ({0})</translation>
    </message>
    <message>
        <source>Choose a Tensor</source>
        <translation>选择张量</translation>
    </message>
</context>
<context>
    <name>ArgumentHeader</name>
    <message>
        <source>Click to edit.</source>
        <translation>点击可编辑。</translation>
    </message>
    <message>
        <source>Differs from the original input.</source>
        <translation>与原始输入不同。</translation>
    </message>
</context>
<context>
    <name>ArgumentRow</name>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>{0}: reset</source>
        <translation>{0}：重置</translation>
    </message>
    <message>
        <source>Restore the original input</source>
        <translation>恢复原始输入</translation>
    </message>
    <message>
        <source>shape of {0}</source>
        <translation>{0} 的形状</translation>
    </message>
    <message>
        <source>dtype of {0}</source>
        <translation>{0} 的 dtype</translation>
    </message>
    <message>
        <source>fill of {0}</source>
        <translation>{0} 的填充</translation>
    </message>
    <message>
        <source>kind of {0}</source>
        <translation>{0} 的种类</translation>
    </message>
    <message>
        <source>requires_grad of {0}</source>
        <translation>{0} 的 requires_grad</translation>
    </message>
    <message>
        <source>elements of {0}</source>
        <translation>{0} 的元素</translation>
    </message>
    <message>
        <source>value of {0}</source>
        <translation>{0} 的值</translation>
    </message>
    <message>
        <source>reset of {0}</source>
        <translation>重置 {0}</translation>
    </message>
</context>
<context>
    <name>AxisChoice</name>
    <message>
        <source>rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Row dimension</source>
        <translation>行维度</translation>
    </message>
    <message>
        <source>Column dimension</source>
        <translation>列维度</translation>
    </message>
    <message>
        <source>{name} of the heatmap (Up, Down)</source>
        <translation>热图的{name}（上下方向键）</translation>
    </message>
    <message>
        <source>dim {axis} · size {size}</source>
        <translation>dim {axis} · 大小 {size}</translation>
    </message>
</context>
<context>
    <name>AxisRow</name>
    <message>
        <source>Slider of dimension {axis}</source>
        <translation>维度 {axis} 的滑块</translation>
    </message>
    <message>
        <source>Move through dimension {axis} (arrow keys)</source>
        <translation>沿维度 {axis} 移动（方向键）</translation>
    </message>
</context>
<context>
    <name>BackwardFields</name>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Seed of the random numbers in the file, the inputs and the run</source>
        <translation>随机数种子，用于文件、输入和运行</translation>
    </message>
    <message>
        <source>How the backward pass starts</source>
        <translation>反向传播的起始方式</translation>
    </message>
    <message>
        <source>Output that the backward pass starts at, counted from 0</source>
        <translation>反向传播起始处的输出，从 0 开始编号</translation>
    </message>
    <message>
        <source>Output that the backward pass starts at, counted from 0; other outputs get no gradient</source>
        <translation>反向传播起始处的输出，从 0 开始编号；其他输出没有梯度</translation>
    </message>
</context>
<context>
    <name>BlackScreen</name>
    <message>
        <source>Black screen</source>
        <translation>黑屏</translation>
    </message>
    <message>
        <source>Press any key or click to show the window again.</source>
        <translation>按任意键或点击鼠标，即可重新显示窗口。</translation>
    </message>
</context>
<context>
    <name>BreadcrumbBar</name>
    <message>
        <source>Groups around the current node</source>
        <translation>当前节点所在的各层分组</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>计算图</translation>
    </message>
    <message>
        <source>Show the whole graph</source>
        <translation>显示整个计算图</translation>
    </message>
    <message>
        <source>Go to {0}, {1}</source>
        <translation>转到 {0}，{1}</translation>
    </message>
    <message>
        <source>Go to {0}</source>
        <translation>转到 {0}</translation>
    </message>
    <message>
        <source>Open {0}</source>
        <translation>展开 {0}</translation>
    </message>
</context>
<context>
    <name>BreakpointPanel</name>
    <message>
        <source>Breakpoints</source>
        <translation>断点</translation>
    </message>
    <message>
        <source>Enter: go to the next hit</source>
        <translation>Enter：转到下一次命中</translation>
    </message>
    <message>
        <source>Run back to the previous breakpoint</source>
        <translation>回退到上一个断点</translation>
    </message>
    <message>
        <source>Run to the next breakpoint</source>
        <translation>运行到下一个断点</translation>
    </message>
    <message>
        <source>Remove the breakpoint ({keys})</source>
        <translation>移除断点（{keys}）</translation>
    </message>
    <message>
        <source>Remove the breakpoint</source>
        <translation>移除断点</translation>
    </message>
    <message>
        <source>No breakpoints are set. {key} sets one at the selected node or the current line. To stop at something else, add a condition above.</source>
        <translation>尚未设置断点。按 {key} 可在所选节点或当前行设置断点。要在其他情况下停止，请在上方添加条件。</translation>
    </message>
</context>
<context>
    <name>Breakpoints</name>
    <message>
        <source>Enter the name of a function, node or op, such as mul, MulBackward0 or aten::mul.</source>
        <translation>请输入函数、节点或算子的名称，如 mul、MulBackward0 或 aten::mul。</translation>
    </message>
    <message>
        <source>The norm must be a number that is 0 or greater.</source>
        <translation>范数必须是大于或等于 0 的数。</translation>
    </message>
    <message>
        <source>Enter the name of a leaf or variable.</source>
        <translation>请输入叶子张量或变量的名称。</translation>
    </message>
    <message>
        <source>Enter the element&apos;s indices: whole numbers from 0, separated by commas, one per dimension.</source>
        <translation>请输入元素的索引：从 0 开始的整数，用逗号分隔，每个维度一个。</translation>
    </message>
    <message>
        <source>&amp;Go to Next Hit</source>
        <translation>转到下一次命中(&amp;G)</translation>
    </message>
    <message>
        <source>Di&amp;sable</source>
        <translation>停用(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Enable</source>
        <translation>启用(&amp;E)</translation>
    </message>
    <message>
        <source>Re&amp;move</source>
        <translation>移除(&amp;M)</translation>
    </message>
</context>
<context>
    <name>BuiltinHeader</name>
    <message>
        <source>Go to step {number}</source>
        <translation>转到第 {number} 步</translation>
    </message>
    <message>
        <source>step {number}</source>
        <translation>第 {number} 步</translation>
    </message>
</context>
<context>
    <name>CallStackBar</name>
    <message>
        <source>Call Stack</source>
        <translation>调用堆栈</translation>
    </message>
    <message>
        <source>Go to the line that is running in this call</source>
        <translation>转到此次调用中正在运行的行</translation>
    </message>
</context>
<context>
    <name>CardFacts</name>
    <message>
        <source>Double-click to open the group.</source>
        <translation>双击可展开分组。</translation>
    </message>
    <message>
        <source>saved by</source>
        <translation>保存者</translation>
    </message>
    <message>
        <source>in</source>
        <translation>所在节点</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Function</translation>
    </message>
    <message>
        <source>leaf</source>
        <translation>叶子张量</translation>
    </message>
    <message>
        <source>module</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>time while recording</source>
        <translation>记录时的耗时</translation>
    </message>
    <message>
        <source>created in {0}</source>
        <translation>创建于第 {0} 步</translation>
    </message>
    <message>
        <source>accumulates in {0}</source>
        <translation>累加于第 {0} 步</translation>
    </message>
    <message>
        <source>executed in {0}</source>
        <translation>执行于第 {0} 步</translation>
    </message>
    <message>
        <source>never executed</source>
        <translation>从未执行</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>receives</source>
        <translation>收到</translation>
    </message>
    <message>
        <source>adds up to</source>
        <translation>累计为</translation>
    </message>
    <message>
        <source>returns</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>已保存</translation>
    </message>
    <message>
        <source>saved, freed by step {0}</source>
        <translation>已保存，由第 {0} 步释放</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>requires grad</source>
        <translation>requires_grad</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>and {0} more</source>
        <translation>还有 {0} 个</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>CellDelegate</name>
    <message>
        <source>Element [{0}, {1}]</source>
        <translation>元素 [{0}, {1}]</translation>
    </message>
</context>
<context>
    <name>CellsEditor</name>
    <message>
        <source>{0}: elements</source>
        <translation>{0}：元素</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>粘贴(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Set to 0</source>
        <translation>设为 0(&amp;S)</translation>
    </message>
    <message>
        <source>dim {0}: </source>
        <translation>dim {0}: </translation>
    </message>
    <message>
        <source>{0}: index of dimension {1}</source>
        <translation>{0}：维度 {1} 的索引</translation>
    </message>
    <message>
        <source>Index of dimension {0} that the grid shows</source>
        <translation>网格所显示的维度 {0} 的索引</translation>
    </message>
</context>
<context>
    <name>CellsView</name>
    <message>
        <source>Type or paste the elements. Enter moves down, Tab moves right.</source>
        <translation>键入或粘贴元素。Enter 向下移动，Tab 向右移动。</translation>
    </message>
</context>
<context>
    <name>ChangeListView</name>
    <message>
        <source>Changes</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Space: turn the change on or off; Enter: edit it; Del: remove it</source>
        <translation>空格键：启用或停用更改；Enter：编辑；Del：移除</translation>
    </message>
</context>
<context>
    <name>ChangeMenus</name>
    <message>
        <source>{0} cannot be changed directly. You can change inputs, parameters, saved tensors, and gradients passed from node to node.</source>
        <translation>{0} 不能直接更改。可以更改的有：输入、参数、保存的张量，以及在节点之间传递的梯度。</translation>
    </message>
    <message>
        <source>Value to change</source>
        <translation>要更改的值</translation>
    </message>
    <message>
        <source>There is no code to run again: run a scene or a file first</source>
        <translation>没有可以重新运行的代码：请先运行示例或文件</translation>
    </message>
    <message>
        <source>Quiz mode hides the values of some steps until you reveal them</source>
        <translation>测验模式会隐藏部分步骤的值，揭晓后才显示</translation>
    </message>
    <message>
        <source>Nothing here can be changed</source>
        <translation>此处没有可更改的内容</translation>
    </message>
    <message>
        <source>Why Is Nothing Listed?</source>
        <translation>为什么这里是空的？</translation>
    </message>
    <message>
        <source>The node saves no tensor and passes no gradient on</source>
        <translation>该节点既不保存张量，也不传出梯度</translation>
    </message>
    <message>
        <source>{0}.</source>
        <translation>{0}。</translation>
    </message>
</context>
<context>
    <name>ChangedInputsNotice</name>
    <message>
        <source>Reset All</source>
        <translation>全部重置</translation>
    </message>
    <message>
        <source>Reset all inputs</source>
        <translation>重置所有输入</translation>
    </message>
    <message>
        <source>Restore the original inputs</source>
        <translation>恢复原始输入</translation>
    </message>
</context>
<context>
    <name>Changes</name>
    <message>
        <source>gradient</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>argument {0}</source>
        <translation>实参 {0}</translation>
    </message>
    <message>
        <source>parameter {0}</source>
        <translation>参数 {0}</translation>
    </message>
    <message>
        <source>equal bit for bit</source>
        <translation>逐位相等</translation>
    </message>
    <message>
        <source>equal in the stored part</source>
        <translation>已存储的部分相等</translation>
    </message>
    <message>
        <source>unknown, because not stored</source>
        <translation>未知，因为没有存储</translation>
    </message>
    <message>
        <source>only in the original run</source>
        <translation>仅在原始运行中</translation>
    </message>
    <message>
        <source>only in the changed run</source>
        <translation>仅在更改后的运行中</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>不同</translation>
    </message>
    <message>
        <source>{0} of {1} elements</source>
        <translation>{1} 个元素中有 {0} 个不同</translation>
    </message>
    <message>
        <source>{0} of the {1} stored elements</source>
        <translation>已存储的 {1} 个元素中有 {0} 个不同</translation>
    </message>
    <message>
        <source>equal value, different bits</source>
        <translation>值相等，位不同</translation>
    </message>
    <message>
        <source>{0} at [{1}]</source>
        <translation>[{1}] 处为 {0}</translation>
    </message>
    <message>
        <source>{0} ({1})</source>
        <translation>{0}（{1}）</translation>
    </message>
</context>
<context>
    <name>CheckBar</name>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Compute both Jacobians, as torch&apos;s gradcheck and gradgradcheck do</source>
        <translation>计算两个雅可比矩阵，与 torch 的 gradcheck 和 gradgradcheck 做法相同</translation>
    </message>
</context>
<context>
    <name>CheckForm</name>
    <message>
        <source>Reference implementation</source>
        <translation>参考实现</translation>
    </message>
    <message>
        <source>FILE.py:NAME or NAME</source>
        <translation>FILE.py:NAME 或 NAME</translation>
    </message>
    <message>
        <source>A function that computes the same with PyTorch operations; NAME is in the checked file</source>
        <translation>用 PyTorch 运算实现同样计算的函数；NAME 位于受检查的文件中</translation>
    </message>
    <message>
        <source>Step size of the central difference, in units of the input</source>
        <translation>中心差分的步长，单位与输入相同</translation>
    </message>
    <message>
        <source>Absolute tolerance</source>
        <translation>绝对容差</translation>
    </message>
    <message>
        <source>Tolerance relative to the numerical value</source>
        <translation>相对于数值结果的容差</translation>
    </message>
    <message>
        <source>eps must be a number greater than 0.</source>
        <translation>eps 必须是大于 0 的数。</translation>
    </message>
    <message>
        <source>{name} must be a number greater than or equal to 0.</source>
        <translation>{name} 必须是大于或等于 0 的数。</translation>
    </message>
    <message>
        <source>Cast Inputs to float64</source>
        <translation>将输入转换为 float64</translation>
    </message>
    <message>
        <source>Avoid differences caused by rounding in a lower precision</source>
        <translation>避免低精度舍入造成的差异</translation>
    </message>
    <message>
        <source>Masked Sparse Inputs</source>
        <translation>稀疏输入按掩码</translation>
    </message>
    <message>
        <source>Vary only the specified elements of sparse inputs</source>
        <translation>只改变稀疏输入中已指定的元素</translation>
    </message>
    <message>
        <source>Backward Mode</source>
        <translation>反向模式</translation>
    </message>
    <message>
        <source>Compare backward; without it, only forward mode is compared</source>
        <translation>比较 backward；不选时只比较前向模式</translation>
    </message>
    <message>
        <source>Batched Gradients</source>
        <translation>批量梯度</translation>
    </message>
    <message>
        <source>Compare vmap over backward with a loop over it</source>
        <translation>比较对 backward 做 vmap 与循环调用 backward 的结果</translation>
    </message>
    <message>
        <source>Batched Forward Mode</source>
        <translation>批量前向模式</translation>
    </message>
    <message>
        <source>Compare vmap over forward mode with a loop over it</source>
        <translation>比较对前向模式做 vmap 与循环调用前向模式的结果</translation>
    </message>
    <message>
        <source>Undefined Gradients</source>
        <translation>未定义的梯度</translation>
    </message>
    <message>
        <source>Try undefined gradients and tangents, as gradcheck does</source>
        <translation>像 gradcheck 一样尝试未定义的梯度和切向量</translation>
    </message>
    <message>
        <source>Non-contiguous Gradients</source>
        <translation>非连续的梯度</translation>
    </message>
    <message>
        <source>For gradgradcheck, draw incoming gradients that are not contiguous</source>
        <translation>gradgradcheck 时随机抽取非连续的传入梯度</translation>
    </message>
    <message>
        <source>Fast Mode</source>
        <translation>快速模式</translation>
    </message>
    <message>
        <source>Compare products with random vectors first, and full matrices only if needed</source>
        <translation>先比较与随机向量的乘积，必要时才比较完整矩阵</translation>
    </message>
    <message>
        <source>Other Incoming Gradients</source>
        <translation>其他传入的梯度</translation>
    </message>
    <message>
        <source>Try gradients that gradcheck never tries: expanded, zeros, None, NaN…</source>
        <translation>尝试 gradcheck 从不尝试的梯度：扩展（expand）、零、None、NaN…</translation>
    </message>
    <message>
        <source>Input Variations</source>
        <translation>输入变体</translation>
    </message>
    <message>
        <source>Vary the inputs: size 1, empty, other strides, None…</source>
        <translation>改变输入：大小为 1、空、其他步幅、None…</translation>
    </message>
    <message>
        <source>If There Is a jvp</source>
        <translation>有 jvp 时使用</translation>
    </message>
    <message>
        <source>Must Agree</source>
        <translation>必须一致</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Forward mode</source>
        <translation>前向模式</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>参考</translation>
    </message>
</context>
<context>
    <name>CheckOptionsButton</name>
    <message>
        <source>Options</source>
        <translation>选项</translation>
    </message>
    <message>
        <source>Options ({count})</source>
        <translation>选项（{count}）</translation>
    </message>
    <message>
        <source>The check includes:</source>
        <translation>本次检查包括：</translation>
    </message>
</context>
<context>
    <name>CheckRepeater</name>
    <message>
        <source>Checked again after the edit: {0} → {1}</source>
        <translation>编辑后已重新检查：{0} → {1}</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>未通过</translation>
    </message>
    <message>
        <source>{0} wrong</source>
        <translation>{0} 个错误元素</translation>
    </message>
</context>
<context>
    <name>CheckSettings</name>
    <message>
        <source>other incoming gradients tried</source>
        <translation>尝试了其他传入的梯度</translation>
    </message>
    <message>
        <source>input variations tried</source>
        <translation>尝试了输入变体</translation>
    </message>
    <message>
        <source>This points to a problem with the check, not with the function: {titles}.</source>
        <translation>看来问题出在检查本身，而不在函数：{titles}。</translation>
    </message>
</context>
<context>
    <name>CheckStart</name>
    <message>
        <source>Check the Gradient</source>
        <translation>检查梯度</translation>
    </message>
    <message>
        <source>Check the Second Derivative</source>
        <translation>检查二阶导数</translation>
    </message>
    <message>
        <source>Options</source>
        <translation>选项</translation>
    </message>
    <message>
        <source>eps, atol, rtol, complex, other incoming gradients</source>
        <translation>eps、atol、rtol、复数、其他传入梯度</translation>
    </message>
    <message>
        <source>In this scene, the check tests {0}.</source>
        <translation>在此场景中，检查的对象是 {0}。</translation>
    </message>
</context>
<context>
    <name>CloseConfirmation</name>
    <message>
        <source>Run in Progress</source>
        <translation>运行尚未结束</translation>
    </message>
    <message>
        <source>The run of {0} is still in progress.</source>
        <translation>{0} 的运行仍在进行。</translation>
    </message>
    <message>
        <source>Closing the window stops it and discards its trace. To keep what was recorded, choose Cancel, stop the run, and save it.</source>
        <translation>关闭窗口会停止运行并放弃其跟踪记录。要保留已录制的内容，请选择“取消”，停止运行，然后保存。</translation>
    </message>
    <message>
        <source>Check in Progress</source>
        <translation>检查尚未结束</translation>
    </message>
    <message>
        <source>The check of {0} is still in progress.</source>
        <translation>{0} 的检查仍在进行。</translation>
    </message>
    <message>
        <source>Closing the window stops it and discards its report.</source>
        <translation>关闭窗口会停止检查并放弃其报告。</translation>
    </message>
    <message>
        <source>The trace of {0} is still being opened.</source>
        <translation>{0} 的跟踪记录仍在打开。</translation>
    </message>
    <message>
        <source>Closing the window discards it. To keep what was recorded, choose Cancel, and save it when it is shown.</source>
        <translation>关闭窗口会放弃该跟踪记录。要保留已录制的内容，请选择“取消”，待其显示后再保存。</translation>
    </message>
    <message>
        <source>&amp;Stop and Close</source>
        <translation>停止并关闭(&amp;S)</translation>
    </message>
    <message>
        <source>Unsaved Run</source>
        <translation>运行尚未保存</translation>
    </message>
    <message>
        <source>The run of {0} is not saved.</source>
        <translation>{0} 的运行尚未保存。</translation>
    </message>
    <message>
        <source>Without saving, its trace is lost when the window closes.</source>
        <translation>如果不保存，关闭窗口时其跟踪记录就会丢失。</translation>
    </message>
    <message>
        <source>Do not ask again</source>
        <translation>不再询问</translation>
    </message>
    <message>
        <source>Export in Progress</source>
        <translation>导出尚未结束</translation>
    </message>
    <message>
        <source>The film {0} is still being exported.</source>
        <translation>动画 {0} 仍在导出。</translation>
    </message>
    <message>
        <source>Closing the window cancels the export. The film is not saved.</source>
        <translation>关闭窗口会取消导出，动画不会保存。</translation>
    </message>
</context>
<context>
    <name>CodeColumn</name>
    <message>
        <source>Show the other half of this Function</source>
        <translation>显示此 Function 的另一半</translation>
    </message>
    <message>
        <source>Open in editor</source>
        <translation>在编辑器中打开</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>This source file is not on this machine.</source>
        <translation>这个源文件不在本机上。</translation>
    </message>
    <message>
        <source>Open {name} in your editor</source>
        <translation>在编辑器中打开 {name}</translation>
    </message>
    <message>
        <source>Edit {name} here</source>
        <translation>在此编辑 {name}</translation>
    </message>
    <message>
        <source>Lines {0} to {1} of {2}. Scroll to the end for more.</source>
        <translation>第 {0} 至 {1} 行，共 {2} 行。滚动到末尾可查看更多。</translation>
    </message>
    <message>
        <source>This source is too long for syntax highlighting.</source>
        <translation>源代码过长，无法高亮语法。</translation>
    </message>
    <message>
        <source>Lines {0} to {1} of {2}, too many for syntax highlighting. Scroll to the end for more.</source>
        <translation>第 {0} 至 {1} 行，共 {2} 行，行数过多，无法高亮语法。滚动到末尾可查看更多。</translation>
    </message>
</context>
<context>
    <name>CommandController</name>
    <message>
        <source>{0}: {1}.</source>
        <translation>{0}：{1}。</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Run scene: {0}</source>
        <translation>运行示例：{0}</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>示例库</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
</context>
<context>
    <name>Compare</name>
    <message>
        <source>Rank {0} of {1}</source>
        <translation>rank {0}（共 {1} 个）</translation>
    </message>
    <message>
        <source>Iteration {0}</source>
        <translation>第 {0} 次迭代</translation>
    </message>
    <message>
        <source>Previous run: {0}</source>
        <translation>上一次运行：{0}</translation>
    </message>
    <message>
        <source>Python file or trace…</source>
        <translation>Python 文件或跟踪文件…</translation>
    </message>
    <message>
        <source>Same in {0}</source>
        <translation>同一运行，改用 {0}</translation>
    </message>
    <message>
        <source>Same on {0}</source>
        <translation>同一运行，改在 {0} 上</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
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
        <translation>比较对象</translation>
    </message>
    <message>
        <source>Differing steps</source>
        <translation>不同的步骤</translation>
    </message>
    <message>
        <source>Previous difference</source>
        <translation>上一处差异</translation>
    </message>
    <message>
        <source>Next difference</source>
        <translation>下一处差异</translation>
    </message>
    <message>
        <source>Choose what to compare with…</source>
        <translation>选择比较对象…</translation>
    </message>
    <message>
        <source>Go to a step that differs</source>
        <translation>转到有差异的步骤</translation>
    </message>
</context>
<context>
    <name>CompareController</name>
    <message>
        <source>There is nothing to compare yet. Run or open something first.</source>
        <translation>还没有可比较的内容。请先运行或打开一些内容。</translation>
    </message>
    <message>
        <source>Opening the trace</source>
        <translation>正在打开 trace</translation>
    </message>
    <message>
        <source>Running the code</source>
        <translation>正在运行代码</translation>
    </message>
    <message>
        <source>Nothing to compare with yet</source>
        <translation>还没有比较对象</translation>
    </message>
    <message>
        <source>Choose a run to compare with: a matching scene, the previous run, the same run in another dtype, or a file. Both runs then step together.</source>
        <translation>选择要比较的运行：匹配的示例、上一次运行、采用另一 dtype 的同一运行，或文件。之后两次运行会同步前进。</translation>
    </message>
    <message>
        <source>Python files and traces (*.py *.gradviz)</source>
        <translation>Python 文件和跟踪文件 (*.py *.gradviz)</translation>
    </message>
    <message>
        <source>Compare With</source>
        <translation>选择比较对象</translation>
    </message>
    <message>
        <source>Reading the file</source>
        <translation>正在读取文件</translation>
    </message>
    <message>
        <source>Comparing the runs</source>
        <translation>正在比较运行</translation>
    </message>
    <message>
        <source>{0} in {1}</source>
        <translation>{1} 中的 {0}</translation>
    </message>
</context>
<context>
    <name>CompareGraph</name>
    <message>
        <source>only here</source>
        <translation>仅此处有</translation>
    </message>
    <message>
        <source>in place of {0}</source>
        <translation>代替 {0}</translation>
    </message>
    <message>
        <source>differs at step {0}</source>
        <translation>在第 {0} 步不同</translation>
    </message>
    <message>
        <source>No graph</source>
        <translation>没有计算图</translation>
    </message>
    <message>
        <source>This run created no autograd nodes.</source>
        <translation>本次运行没有创建 autograd 节点。</translation>
    </message>
    <message>
        <source>The graph cannot be shown</source>
        <translation>无法显示计算图</translation>
    </message>
</context>
<context>
    <name>ComparePanel</name>
    <message>
        <source>Values in both runs</source>
        <translation>两次运行中的值</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Left: {0} ({1})</source>
        <translation>左：{0}（{1}）</translation>
    </message>
    <message>
        <source>Right: {0} ({1})</source>
        <translation>右：{0}（{1}）</translation>
    </message>
    <message>
        <source>Only the other side has this step.</source>
        <translation>只有另一侧有此步骤。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln step(s) occur on only one side</source>
        <translation>
            <numerusform>有 %Ln 个步骤只出现在一侧</numerusform>
        </translation>
    </message>
    <message>
        <source>Step {0}: {1}</source>
        <translation>第 {0} 步：{1}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln step(s) differ</source>
        <translation>
            <numerusform>%Ln 步不同</numerusform>
        </translation>
    </message>
    <message>
        <source>No step differs</source>
        <translation>所有步骤都没有差异</translation>
    </message>
    <message>
        <source>Hidden in quiz mode</source>
        <translation>测验模式下隐藏</translation>
    </message>
    <message>
        <source>The other run would reveal the answer.</source>
        <translation>另一次运行会泄露答案。</translation>
    </message>
</context>
<context>
    <name>ConditionEditor</name>
    <message>
        <source>What to stop at</source>
        <translation>停止条件</translation>
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
        <translation>范数大于</translation>
    </message>
    <message>
        <source>a shape change</source>
        <translation>形状改变</translation>
    </message>
    <message>
        <source>a dtype change</source>
        <translation>dtype 改变</translation>
    </message>
    <message>
        <source>a sign change of</source>
        <translation>变号</translation>
    </message>
    <message>
        <source>a print</source>
        <translation>打印输出</translation>
    </message>
    <message>
        <source>an exception</source>
        <translation>异常</translation>
    </message>
    <message>
        <source>each</source>
        <translation>每个</translation>
    </message>
    <message>
        <source>Stop at</source>
        <translation>停止条件</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add this breakpoint</source>
        <translation>添加此断点</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>范数</translation>
    </message>
    <message>
        <source>L2 norm, e.g. 100 or 1e3</source>
        <translation>L2 范数，如 100 或 1e3</translation>
    </message>
    <message>
        <source>Tensors to check</source>
        <translation>要检查的张量</translation>
    </message>
    <message>
        <source>of a gradient</source>
        <translation>任一梯度</translation>
    </message>
    <message>
        <source>of any tensor</source>
        <translation>任一张量</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Element</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>0, 1</source>
        <translation>0, 1</translation>
    </message>
    <message>
        <source>Value or gradient</source>
        <translation>值或梯度</translation>
    </message>
    <message>
        <source>in .grad</source>
        <translation>在 .grad 中</translation>
    </message>
    <message>
        <source>in its value</source>
        <translation>在值中</translation>
    </message>
    <message>
        <source>When</source>
        <translation>何时</translation>
    </message>
    <message>
        <source>where it appears</source>
        <translation>出现处</translation>
    </message>
    <message>
        <source>wherever it is present</source>
        <translation>所有存在处</translation>
    </message>
    <message>
        <source>Direction</source>
        <translation>方向</translation>
    </message>
    <message>
        <source>in both directions</source>
        <translation>前向和反向</translation>
    </message>
    <message>
        <source>in forward</source>
        <translation>仅前向</translation>
    </message>
    <message>
        <source>in backward</source>
        <translation>仅反向</translation>
    </message>
</context>
<context>
    <name>ConsolePanel</name>
    <message>
        <source>Output of the run</source>
        <translation>运行的输出</translation>
    </message>
    <message>
        <source>Console</source>
        <translation>控制台</translation>
    </message>
</context>
<context>
    <name>ContentsBox</name>
    <message>
        <source>Guide contents</source>
        <translation>指南目录</translation>
    </message>
    <message>
        <source>All pages of the guide in teaching order</source>
        <translation>指南的所有页面，按教学顺序排列</translation>
    </message>
</context>
<context>
    <name>ContextMenus</name>
    <message>
        <source>&amp;Go to Step {0}</source>
        <translation>转到第 {0} 步(&amp;G)</translation>
    </message>
    <message>
        <source>Copy &amp;Line</source>
        <translation>复制行(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>Select &amp;All</source>
        <translation>全选(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Copy Name</source>
        <translation>复制名称(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Go to Op</source>
        <translation>转到算子(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Go There</source>
        <translation>转到该处(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Enlarge {0}</source>
        <translation>放大 {0}(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>折叠(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>展开(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Set or Remove Breakpoint</source>
        <translation>设置或移除断点(&amp;S)</translation>
    </message>
    <message>
        <source>Copy &amp;Values</source>
        <translation>复制值(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Go to Line {0}</source>
        <translation>转到第 {0} 行(&amp;G)</translation>
    </message>
    <message>
        <source>Run &amp;Forward to Line {0}</source>
        <translation>向前运行到第 {0} 行(&amp;F)</translation>
    </message>
    <message>
        <source>Run &amp;Back to Line {0}</source>
        <translation>回退到第 {0} 行(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Copy Description of Step {0}</source>
        <translation>复制第 {0} 步的说明(&amp;C)</translation>
    </message>
    <message>
        <source>Find Origin of Its NaN or &amp;Inf</source>
        <translation>查找其 NaN 或 Inf 的来源(&amp;I)</translation>
    </message>
</context>
<context>
    <name>DeclarationController</name>
    <message>
        <source>{0} cannot be read: {1}.</source>
        <translation>无法读取 {0}：{1}。</translation>
    </message>
    <message>
        <source>Inputs cannot be added to {0}. Declare them in its function examples().</source>
        <translation>无法为 {0} 添加输入。请在其函数 examples() 中声明。</translation>
    </message>
    <message>
        <source>Declare Inputs</source>
        <translation>声明输入</translation>
    </message>
</context>
<context>
    <name>Diagnoses</name>
    <message>
        <source>certain</source>
        <translation>确定</translation>
    </message>
    <message>
        <source>likely</source>
        <translation>很可能</translation>
    </message>
    <message>
        <source>The numbers allow no other explanation.</source>
        <translation>这些数值没有其他解释。</translation>
    </message>
    <message>
        <source>Another explanation of the numbers is possible but unlikely.</source>
        <translation>这些数值可能有其他解释，但可能性不大。</translation>
    </message>
</context>
<context>
    <name>DiagnosisCard</name>
    <message>
        <source>Show Repaired Matrix</source>
        <translation>显示修复后的矩阵</translation>
    </message>
    <message>
        <source>Show the analytical Jacobian after this repair next to the other maps</source>
        <translation>在其他矩阵图旁边显示此次修复后的解析雅可比矩阵</translation>
    </message>
    <message>
        <source>Diagnosis: {title}</source>
        <translation>诊断：{title}</translation>
    </message>
    <message>
        <source>Tried: {message}</source>
        <translation>已试过：{message}</translation>
    </message>
    <message>
        <source>Try this: {message}</source>
        <translation>可以试试：{message}</translation>
    </message>
    <message>
        <source>{before} wrong → {after} wrong</source>
        <translation>{before} 个错误 → {after} 个错误</translation>
    </message>
</context>
<context>
    <name>DifferenceSummary</name>
    <message>
        <source>Values in both runs</source>
        <translation>两次运行中的值</translation>
    </message>
    <message>
        <source>Comparing the runs…</source>
        <translation>正在比较两次运行…</translation>
    </message>
    <message numerus="yes">
        <source>No differences: all %Ln step(s) are equal bit for bit.</source>
        <translation>
            <numerusform>没有差异：全部 %Ln 步逐位相等。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln of {0} step(s) differ, starting with step {1}.</source>
        <translation>
            <numerusform>{0} 步中有 %Ln 步不同，从第 {1} 步开始。</numerusform>
        </translation>
    </message>
    <message>
        <source>From step {0} on, the two runs take different steps.</source>
        <translation>从第 {0} 步起，两次运行的步骤不再相同。</translation>
    </message>
    <message>
        <source>Some large values were stored only in part; only these parts were compared.</source>
        <translation>一些较大的值只存储了一部分；只比较了这些部分。</translation>
    </message>
    <message>
        <source>Hidden in quiz mode until the answer is revealed.</source>
        <translation>测验模式下隐藏，揭晓答案后显示。</translation>
    </message>
    <message>
        <source>Only the changed run has this step.</source>
        <translation>只有更改后的运行有这一步。</translation>
    </message>
    <message>
        <source>There is nothing to compare in this step.</source>
        <translation>这一步没有可比较的内容。</translation>
    </message>
    <message>
        <source>No value differs here.</source>
        <translation>此处的值都没有差异。</translation>
    </message>
    <message>
        <source>The only value here differs.</source>
        <translation>此处唯一的值不同。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln of {0} value(s) differ here.</source>
        <translation>
            <numerusform>此处 {0} 个值中有 %Ln 个不同。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DifferencesTable</name>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Original</source>
        <translation>原始</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>更改后</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差值</translation>
    </message>
    <message>
        <source>Largest difference</source>
        <translation>最大差值</translation>
    </message>
    <message>
        <source>{0}
In parentheses: relative to the original element.</source>
        <translation>{0}
括号内：相对于原始元素的比例。</translation>
    </message>
</context>
<context>
    <name>Dispatch</name>
    <message>
        <source>torch asks the type:</source>
        <translation>torch 询问类型：</translation>
    </message>
    <message>
        <source>torch asks the types from left to right:</source>
        <translation>torch 从左到右依次询问各类型：</translation>
    </message>
    <message>
        <source>which returns</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>so the call raises</source>
        <translation>因此调用引发异常</translation>
    </message>
    <message>
        <source>{0} more</source>
        <translation>还有 {0} 个</translation>
    </message>
    <message>
        <source>the call did not return</source>
        <translation>调用没有返回</translation>
    </message>
    <message>
        <source>{0} values</source>
        <translation>{0} 个值</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
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
        <translation>调用示意图</translation>
    </message>
    <message>
        <source>This step calls no __torch_function__.</source>
        <translation>这一步没有调用 __torch_function__。</translation>
    </message>
</context>
<context>
    <name>Docks</name>
    <message>
        <source>Panels</source>
        <translation>面板</translation>
    </message>
    <message>
        <source>Scroll tabs left</source>
        <translation>向左滚动标签</translation>
    </message>
    <message>
        <source>Scroll tabs right</source>
        <translation>向右滚动标签</translation>
    </message>
</context>
<context>
    <name>DoctorPanel</name>
    <message>
        <source>Findings</source>
        <translation>发现的问题</translation>
    </message>
    <message>
        <source>Enter: go to the step of the finding</source>
        <translation>Enter：转到问题所在的步骤</translation>
    </message>
    <message>
        <source>Doctor</source>
        <translation>Doctor</translation>
    </message>
    <message>
        <source>Findings about the run appear here.</source>
        <translation>运行中发现的问题显示在这里。</translation>
    </message>
    <message>
        <source>No problems were found in this run.</source>
        <translation>本次运行没有发现问题。</translation>
    </message>
    <message>
        <source>No problems were found up to this step.</source>
        <translation>到这一步为止没有发现问题。</translation>
    </message>
    <message>
        <source>No problems were found in the recorded part of this run.</source>
        <translation>在本次运行已录制的部分中没有发现问题。</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修复</translation>
    </message>
</context>
<context>
    <name>EditController</name>
    <message>
        <source>Unsaved Changes</source>
        <translation>有未保存的更改</translation>
    </message>
    <message>
        <source>{0} has changes that are not saved.</source>
        <translation>{0} 有未保存的更改。</translation>
    </message>
    <message>
        <source>Text of {0}</source>
        <translation>{0} 的文本</translation>
    </message>
    <message>
        <source>{0} cannot be read: {1}</source>
        <translation>无法读取 {0}：{1}</translation>
    </message>
    <message>
        <source>{0} has more than {1} characters, too many to edit here. Open it in your editor.</source>
        <translation>{0} 超过 {1} 个字符，内容过多，无法在此编辑。请在编辑器中打开。</translation>
    </message>
    <message>
        <source>{0} has a line of more than {1} characters, too long to edit here. Open it in your editor.</source>
        <translation>{0} 有一行超过 {1} 个字符，太长，无法在此编辑。请在编辑器中打开。</translation>
    </message>
    <message>
        <source>The file was changed elsewhere. Press Esc and edit it again.</source>
        <translation>文件已在别处更改。请按 Esc，然后重新编辑。</translation>
    </message>
    <message>
        <source>{0} cannot be saved: {1}</source>
        <translation>无法保存 {0}：{1}</translation>
    </message>
    <message>
        <source>{0} runs without an error now. Check compares its gradients (Jacobians).</source>
        <translation>{0} 现在运行不再出错。“检查”会比较其梯度（雅可比）。</translation>
    </message>
    <message>
        <source>Press Ctrl+S to save the changes, or Esc again to discard them.</source>
        <translation>按 Ctrl+S 保存更改，或再按一次 Esc 放弃更改。</translation>
    </message>
</context>
<context>
    <name>EditorController</name>
    <message>
        <source>No editor could be started. Set one in File &gt; Settings, for example {example}.</source>
        <translation>无法启动任何编辑器。请在“文件 &gt; 设置”中指定一个，例如 {example}。</translation>
    </message>
    <message>
        <source>{name} has changed since it was recorded: line {line} may not be the same now.</source>
        <translation>{name} 在录制后已更改：第 {line} 行可能已与当时不同。</translation>
    </message>
</context>
<context>
    <name>ElementCard</name>
    <message>
        <source>All nonzero numbers of this Jacobian are elements of this tensor, in one order</source>
        <translation>这个 Jacobian 中所有非零的数都是该张量的元素，且顺序一致</translation>
    </message>
    <message>
        <source>Element</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>Nothing to compare: the matrix is empty.</source>
        <translation>没有可比较的内容：矩阵为空。</translation>
    </message>
    <message>
        <source>allowed</source>
        <translation>允许值</translation>
    </message>
    <message>
        <source>Pinned. Click it again or press Escape to unpin it.</source>
        <translation>已固定。再次点击或按 Escape 可取消固定。</translation>
    </message>
    <message>
        <source>Click an element or press Enter to pin it.</source>
        <translation>点击元素或按 Enter 可将其固定。</translation>
    </message>
    <message>
        <source>forward uses {forward}, backward uses {backward}</source>
        <translation>forward 使用 {forward}，backward 使用 {backward}</translation>
    </message>
    <message>
        <source>forward and backward use {forward}</source>
        <translation>forward 和 backward 都使用 {forward}</translation>
    </message>
    <message>
        <source>forward uses {forward}</source>
        <translation>forward 使用 {forward}</translation>
    </message>
    <message>
        <source>backward uses {backward}</source>
        <translation>backward 使用 {backward}</translation>
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
        <translation>{name} {shape}，位于 [{before}, …]</translation>
    </message>
    <message>
        <source>{element} is {value}</source>
        <translation>{element} 为 {value}</translation>
    </message>
</context>
<context>
    <name>ErrorDialog</name>
    <message>
        <source>Error in gradviz</source>
        <translation>gradviz 出错</translation>
    </message>
    <message>
        <source>An error occurred in gradviz itself, not in your code. You can continue, but the view may be incomplete. Please report the error with the text below.</source>
        <translation>错误发生在 gradviz 本身，而不是您的代码中。可以继续使用，但显示内容可能不完整。请附上以下文本报告此错误。</translation>
    </message>
    <message>
        <source>Error report</source>
        <translation>错误报告</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>Copy the whole report</source>
        <translation>复制整份报告</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
</context>
<context>
    <name>ExternalEditor</name>
    <message>
        <source>This Python file does not exist on this machine: {path}</source>
        <translation>本机上没有这个 Python 文件：{path}</translation>
    </message>
</context>
<context>
    <name>FileController</name>
    <message>
        <source>Saved {0}.</source>
        <translation>已保存 {0}。</translation>
    </message>
    <message>
        <source>{0} cannot be written: {1}.</source>
        <translation>无法写入 {0}：{1}。</translation>
    </message>
    <message>
        <source>Python files, notebooks, traces and lessons (*.py *.ipynb *.gradviz *.gradviz-lesson)</source>
        <translation>Python 文件、Notebook、跟踪文件和课程 (*.py *.ipynb *.gradviz *.gradviz-lesson)</translation>
    </message>
    <message>
        <source>Save Trace As</source>
        <translation>跟踪记录另存为</translation>
    </message>
    <message>
        <source>Traces (*.gradviz)</source>
        <translation>跟踪文件 (*.gradviz)</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open in New Window</source>
        <translation>在新窗口中打开</translation>
    </message>
    <message>
        <source>Export Graph</source>
        <translation>导出计算图</translation>
    </message>
    <message>
        <source>Export Tensors</source>
        <translation>导出张量</translation>
    </message>
    <message>
        <source>Export Film</source>
        <translation>导出动画</translation>
    </message>
    <message>
        <source>Export Run as HTML Page</source>
        <translation>将运行导出为 HTML 页面</translation>
    </message>
</context>
<context>
    <name>FileDrop</name>
    <message>
        <source>Drop to open {0}</source>
        <translation>松开即可打开 {0}</translation>
    </message>
    <message numerus="yes">
        <source>Drop to open %Ln file(s), each in its own window</source>
        <translation>
            <numerusform>松开即可打开 %Ln 个文件，每个文件一个窗口</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FileKinds</name>
    <message>
        <source>{0} is a pipe or device, not a regular file.</source>
        <translation>{0} 是管道或设备，不是常规文件。</translation>
    </message>
    <message>
        <source>{0} is not a Python file (.py), a notebook (.ipynb), a trace (.gradviz) or a lesson (.gradviz-lesson).</source>
        <translation>{0} 不是 Python 文件（.py）、Notebook（.ipynb）、跟踪文件（.gradviz）或课程（.gradviz-lesson）。</translation>
    </message>
</context>
<context>
    <name>FilmProgress</name>
    <message>
        <source>Export Film</source>
        <translation>导出动画</translation>
    </message>
    <message>
        <source>Exporting {0}</source>
        <translation>正在导出 {0}</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>FindController</name>
    <message>
        <source>Find nodes, tensors and steps by name, shape, dtype, module and values</source>
        <translation>按名称、形状、dtype、模块和值查找节点、张量和步骤</translation>
    </message>
    <message>
        <source>There is nothing to search yet.</source>
        <translation>还没有可搜索的内容。</translation>
    </message>
    <message>
        <source>Find nodes, tensors and steps. Examples:</source>
        <translation>查找节点、张量和步骤。例如：</translation>
    </message>
    <message>
        <source>Nothing matches {0}. Examples of searches:</source>
        <translation>没有与 {0} 匹配的内容。搜索方式举例：</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} / {1}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln match(es)</source>
        <translation>
            <numerusform>%Ln 个匹配项</numerusform>
        </translation>
    </message>
    <message>
        <source>no matches</source>
        <translation>无匹配项</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>Searching the values: {0} of {1} tensors</source>
        <translation>正在搜索数值：{0} / {1} 个张量</translation>
    </message>
</context>
<context>
    <name>FindField</name>
    <message>
        <source>Find a node, tensor, step…</source>
        <translation>查找节点、张量、步骤…</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
</context>
<context>
    <name>FindPanel</name>
    <message>
        <source>Examples</source>
        <translation>搜索举例</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>匹配项</translation>
    </message>
    <message numerus="yes">
        <source>The values of %Ln tensor(s) were not recorded; they may match, too.</source>
        <translation>
            <numerusform>%Ln 个张量的值未录制；它们也可能匹配。</numerusform>
        </translation>
    </message>
    <message>
        <source>part of the name of a node, leaf, tensor or module</source>
        <translation>节点、叶子张量、张量或模块名称的一部分</translation>
    </message>
    <message>
        <source>a tensor of this shape; *x3 for any number of rows</source>
        <translation>该形状的张量；*x3 表示行数任意</translation>
    </message>
    <message>
        <source>NaN values; also has Inf, has saved</source>
        <translation>NaN 值；也可用 has Inf、has saved</translation>
    </message>
    <message>
        <source>created in this module or one inside it</source>
        <translation>在此模块或其内部模块中创建</translation>
    </message>
    <message>
        <source>also builtin and leaf; dtype:float32 and step:12 work as well</source>
        <translation>也可用 builtin 和 leaf；dtype:float32 和 step:12 同样有效</translation>
    </message>
    <message>
        <source>a regular expression in Python syntax</source>
        <translation>Python 语法的正则表达式</translation>
    </message>
    <message>
        <source>step {0}</source>
        <translation>第 {0} 步</translation>
    </message>
</context>
<context>
    <name>FindingPage</name>
    <message>
        <source>Show repair…</source>
        <translation>显示修复…</translation>
    </message>
    <message>
        <source>Open in Guide</source>
        <translation>在指南中打开</translation>
    </message>
    <message>
        <source>About the finding</source>
        <translation>关于此问题</translation>
    </message>
    <message>
        <source>How to fix it: {0}</source>
        <translation>解决方法：{0}</translation>
    </message>
    <message>
        <source>Repeats, as in a loop, are listed once, at their first occurrence.</source>
        <translation>重复出现的问题（如在循环中）只列出一次，列在首次出现处。</translation>
    </message>
    <message>
        <source>Go to {0}</source>
        <translation>转到 {0}</translation>
    </message>
</context>
<context>
    <name>FindingsColumn</name>
    <message>
        <source>Sample This Element</source>
        <translation>对此元素采样</translation>
    </message>
    <message>
        <source>Check again, and draw the function along the pinned element</source>
        <translation>重新检查，并沿固定的元素绘制函数</translation>
    </message>
    <message>
        <source>Other incoming gradients</source>
        <translation>其他传入的梯度</translation>
    </message>
    <message>
        <source>Input variations</source>
        <translation>输入变体</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>发现的问题</translation>
    </message>
    <message>
        <source>Worst elements</source>
        <translation>误差最大的元素</translation>
    </message>
    <message>
        <source>Function and slopes</source>
        <translation>函数与斜率</translation>
    </message>
    <message>
        <source>Error vs. eps</source>
        <translation>误差随 eps 的变化</translation>
    </message>
    <message>
        <source>about the whole function</source>
        <translation>针对整个函数</translation>
    </message>
</context>
<context>
    <name>FirstHint</name>
    <message>
        <source>{0}: next step, {1}: previous step. {2} shows all keyboard shortcuts.</source>
        <translation>{0}：下一步，{1}：上一步。{2} 显示所有键盘快捷键。</translation>
    </message>
</context>
<context>
    <name>FoldController</name>
    <message>
        <source>Close {0}</source>
        <translation>折叠 {0}</translation>
    </message>
</context>
<context>
    <name>GraphLegend</name>
    <message>
        <source>Legend</source>
        <translation>图例</translation>
    </message>
    <message>
        <source>Hide the legend</source>
        <translation>隐藏图例</translation>
    </message>
</context>
<context>
    <name>GraphPanel</name>
    <message>
        <source>Please wait</source>
        <translation>请稍候</translation>
    </message>
    <message>
        <source>The graph appears here when the run has finished.</source>
        <translation>运行结束后，计算图会显示在这里。</translation>
    </message>
    <message>
        <source>The graph appears here when the recording has been read.</source>
        <translation>读取录制内容后，图会显示在这里。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Nothing to show yet</source>
        <translation>还没有可显示的内容</translation>
    </message>
    <message>
        <source>Choose a scene in the library, or drop a Python file or a trace on this window.</source>
        <translation>请在示例库中选择一个示例，或将 Python 文件或跟踪文件拖放到此窗口。</translation>
    </message>
    <message>
        <source>No graph</source>
        <translation>没有计算图</translation>
    </message>
    <message>
        <source>This run created no autograd nodes. Autograd creates them for tensors that require a gradient, outside of torch.no_grad().</source>
        <translation>本次运行没有创建 autograd 节点。autograd 只在 torch.no_grad() 之外为需要梯度的张量创建节点。</translation>
    </message>
    <message>
        <source>Run executes it with the values in Inputs.</source>
        <translation>运行会用“输入”中的值执行它。</translation>
    </message>
    <message>
        <source>Laying out the graph…</source>
        <translation>正在布局计算图…</translation>
    </message>
    <message>
        <source>You can use the steps and the inspector meanwhile.</source>
        <translation>在此期间可以使用步骤和检查器。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cannot open the group</source>
        <translation>无法展开分组</translation>
    </message>
    <message>
        <source>Back to Graph</source>
        <translation>返回计算图</translation>
    </message>
    <message>
        <source>Cannot show the graph</source>
        <translation>无法显示计算图</translation>
    </message>
    <message>
        <source>Try Again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>The layout was canceled.</source>
        <translation>布局已取消。</translation>
    </message>
    <message>
        <source>Lay Out Graph</source>
        <translation>布局计算图</translation>
    </message>
</context>
<context>
    <name>GraphStage</name>
    <message>
        <source>breakpoint</source>
        <translation>断点</translation>
    </message>
</context>
<context>
    <name>GraphToolbar</name>
    <message>
        <source>Legend</source>
        <translation>图例</translation>
    </message>
    <message>
        <source>Show what the signs mean</source>
        <translation>显示各种标记的含义</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Show at 100%</source>
        <translation>以 100% 显示</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Center the current node</source>
        <translation>将当前节点居中</translation>
    </message>
    <message>
        <source>{0} again</source>
        <translation>再按 {0}</translation>
    </message>
    <message>
        <source>Show the whole graph</source>
        <translation>显示整个计算图</translation>
    </message>
    <message numerus="yes">
        <source>%Ln node(s)</source>
        <translation>
            <numerusform>%Ln 个节点</numerusform>
        </translation>
    </message>
    <message>
        <source>{0} in closed groups</source>
        <translation>{0} 个在已折叠的分组中</translation>
    </message>
    <message>
        <source>too large to read: {0} enlarges the current node</source>
        <translation>计算图太大，看不清：按 {0} 可放大当前节点</translation>
    </message>
</context>
<context>
    <name>GraphView</name>
    <message>
        <source>Graph</source>
        <translation>计算图</translation>
    </message>
</context>
<context>
    <name>Guide</name>
    <message>
        <source>Go to step {target}</source>
        <translation>转到第 {target} 步</translation>
    </message>
    <message>
        <source>Run the scene {target}</source>
        <translation>运行示例 {target}</translation>
    </message>
    <message>
        <source>Open the page {target}</source>
        <translation>打开页面 {target}</translation>
    </message>
    <message>
        <source>Compare with the scene {target}</source>
        <translation>与示例 {target} 比较</translation>
    </message>
    <message>
        <source>Check the gradients numerically</source>
        <translation>用数值方法检查梯度</translation>
    </message>
    <message>
        <source>Check the second derivatives numerically</source>
        <translation>用数值方法检查二阶导数</translation>
    </message>
    <message>
        <source>Show the {target} panel</source>
        <translation>显示 {target} 面板</translation>
    </message>
</context>
<context>
    <name>GuideFooter</name>
    <message>
        <source>Previous Page</source>
        <translation>上一页</translation>
    </message>
    <message>
        <source>Next Page</source>
        <translation>下一页</translation>
    </message>
    <message>
        <source>Previous page</source>
        <translation>上一页</translation>
    </message>
    <message>
        <source>Next page</source>
        <translation>下一页</translation>
    </message>
</context>
<context>
    <name>GuideHeader</name>
    <message>
        <source>Go back</source>
        <translation>后退</translation>
    </message>
    <message>
        <source>Go forward</source>
        <translation>前进</translation>
    </message>
</context>
<context>
    <name>GuidePanel</name>
    <message>
        <source>Guide</source>
        <translation>指南</translation>
    </message>
</context>
<context>
    <name>HeadButtons</name>
    <message>
        <source>Enlarge</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Enlarge (Enter)</source>
        <translation>放大（Enter）</translation>
    </message>
    <message>
        <source>Copy and more</source>
        <translation>复制及更多</translation>
    </message>
    <message>
        <source>Copy as Python, CSV or LaTeX, save (menu key)</source>
        <translation>复制为 Python、CSV 或 LaTeX，保存（菜单键）</translation>
    </message>
</context>
<context>
    <name>Heatmap</name>
    <message>
        <source>Heatmap of {name}</source>
        <translation>{name} 的热图</translation>
    </message>
    <message>
        <source>Arrow keys: move from cell to cell. Enter: pin the element.</source>
        <translation>方向键：在单元格之间移动。Enter：固定元素。</translation>
    </message>
    <message>
        <source>Shift+arrow keys: move from cell to cell. Enter: enlarge.</source>
        <translation>Shift+方向键：在单元格之间移动。Enter：放大。</translation>
    </message>
</context>
<context>
    <name>HiddenTensor</name>
    <message>
        <source>{name}: hidden until revealed</source>
        <translation>{name}：揭晓后显示</translation>
    </message>
</context>
<context>
    <name>HistogramView</name>
    <message>
        <source>Histogram of {name}</source>
        <translation>{name} 的直方图</translation>
    </message>
    <message>
        <source>Left and Right: move from bar to bar.</source>
        <translation>左右方向键：在条形之间移动。</translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>Origin</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Versions of the tensor&apos;s memory</source>
        <translation>张量内存的各个版本</translation>
    </message>
    <message>
        <source>Finding versions…</source>
        <translation>正在查找版本…</translation>
    </message>
    <message>
        <source>The history cannot be found: {reason}</source>
        <translation>无法找出变化历史：{reason}</translation>
    </message>
    <message>
        <source>The memory of {name} was not recorded.</source>
        <translation>{name} 的内存未录制。</translation>
    </message>
    <message numerus="yes">
        <source>History of {name}: %Ln version(s)</source>
        <translation>
            <numerusform>{name} 的变化历史：%Ln 个版本</numerusform>
        </translation>
    </message>
    <message>
        <source>History of {name}: one version so far</source>
        <translation>{name} 的变化历史：目前有 1 个版本</translation>
    </message>
    <message>
        <source>History of {name}: one version. No in-place change was recorded.</source>
        <translation>{name} 的变化历史：1 个版本。没有录制到原地更改。</translation>
    </message>
    <message>
        <source>History of a tensor</source>
        <translation>张量的变化历史</translation>
    </message>
    <message>
        <source>Hidden in quiz mode until the answer is revealed.</source>
        <translation>测验模式下隐藏，揭晓答案后显示。</translation>
    </message>
    <message>
        <source>This page lists the versions of a tensor&apos;s memory and what created each of them. To open it, choose History of This Tensor in a tensor&apos;s menu.</source>
        <translation>此页面列出张量内存的各个版本，以及每个版本由什么产生。要打开此页面，请在张量的菜单中选择“此张量的变化历史”。</translation>
    </message>
</context>
<context>
    <name>HoverController</name>
    <message>
        <source>memory</source>
        <translation>内存</translation>
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
        <translation> / {size}</translation>
    </message>
    <message>
        <source>Index in dimension {axis}</source>
        <translation>维度 {axis} 的索引</translation>
    </message>
    <message>
        <source>Slice of dimension {axis} to show (Up, Down)</source>
        <translation>要显示的维度 {axis} 的切片（上下方向键）</translation>
    </message>
</context>
<context>
    <name>Inputs</name>
    <message>
        <source>{0} is stored as {1} in {2}.</source>
        <translation>{0} 在 {2} 中存储为 {1}。</translation>
    </message>
    <message>
        <source>Enter a number.</source>
        <translation>请输入一个数。</translation>
    </message>
    <message>
        <source>{0}: use a decimal point, and no commas.</source>
        <translation>{0}：请使用小数点，不要使用逗号。</translation>
    </message>
    <message>
        <source>In Python, write {0}.</source>
        <translation>在 Python 中应写作 {0}。</translation>
    </message>
    <message>
        <source>{0} is larger than the largest float; write inf for infinity.</source>
        <translation>{0} 大于最大的浮点数；无穷大请写作 inf。</translation>
    </message>
    <message>
        <source>{0} is not a number.</source>
        <translation>{0} 不是数。</translation>
    </message>
    <message>
        <source>{0} has a fraction, but {1} holds only integers.</source>
        <translation>{0} 带有小数，但 {1} 只能存放整数。</translation>
    </message>
    <message>
        <source>{0} cannot hold {1}.</source>
        <translation>{0} 无法存放 {1}。</translation>
    </message>
    <message>
        <source>{0} is complex, but {1} holds only real numbers.</source>
        <translation>{0} 是复数，但 {1} 只能存放实数。</translation>
    </message>
    <message>
        <source>{0} is neither True nor False.</source>
        <translation>{0} 既不是 True 也不是 False。</translation>
    </message>
    <message>
        <source>{0} does not fit in {1}, whose range is {2} to {3}.</source>
        <translation>{0} 超出 {1} 的范围，该范围为 {2} 到 {3}。</translation>
    </message>
    <message>
        <source>{0} does not fit in {1}.</source>
        <translation>{1} 容纳不下 {0}。</translation>
    </message>
    <message>
        <source>Random elements, drawn during the run with seed {0}.</source>
        <translation>随机元素，运行时用种子 {0} 抽取。</translation>
    </message>
    <message>
        <source>As created by the file; choose another fill to change it.</source>
        <translation>按文件创建的原样；要更改，请选择其他填充方式。</translation>
    </message>
    <message>
        <source>Only tensors of up to {0} elements are shown here.</source>
        <translation>此处只显示不超过 {0} 个元素的张量。</translation>
    </message>
    <message>
        <source>The pasted text is too long.</source>
        <translation>粘贴的文本过长。</translation>
    </message>
    <message>
        <source>The clipboard contains no text.</source>
        <translation>剪贴板中没有文本。</translation>
    </message>
    <message>
        <source>The pasted text omits elements (...). Paste every element.</source>
        <translation>粘贴的文本省略了元素（...）。请粘贴所有元素。</translation>
    </message>
    <message>
        <source>The pasted text has {1} elements; the grid can hold up to {0}.</source>
        <translation>粘贴的文本有 {1} 个元素；网格最多容纳 {0} 个。</translation>
    </message>
    <message>
        <source>A block of {0} × {1} elements does not fit at [{2}, {3}].</source>
        <translation>{0} × {1} 个元素的块在 [{2}, {3}] 处放不下。</translation>
    </message>
    <message>
        <source>A shape can have at most {0} dimensions here.</source>
        <translation>此处的形状最多有 {0} 个维度。</translation>
    </message>
    <message>
        <source>The pasted text is missing a closing bracket.</source>
        <translation>粘贴的文本缺少右括号。</translation>
    </message>
    <message>
        <source>The lists in the pasted text have different lengths.</source>
        <translation>粘贴的文本中各列表长度不同。</translation>
    </message>
    <message>
        <source>The lines of the pasted text have different lengths.</source>
        <translation>粘贴的文本中各行长度不同。</translation>
    </message>
    <message>
        <source>An element in the pasted text is empty.</source>
        <translation>粘贴的文本中有一个元素为空。</translation>
    </message>
    <message>
        <source>The pasted text contains no elements.</source>
        <translation>粘贴的文本不含任何元素。</translation>
    </message>
    <message>
        <source>{0} in the pasted text is not a number.</source>
        <translation>粘贴的文本中的 {0} 不是数。</translation>
    </message>
    <message>
        <source>Element {0}: {1}</source>
        <translation>元素 {0}：{1}</translation>
    </message>
    <message>
        <source>&amp;Copy as torch.tensor(…)</source>
        <translation>复制为 torch.tensor(…)(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Paste Elements</source>
        <translation>粘贴元素(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Reset</source>
        <translation>重置(&amp;R)</translation>
    </message>
    <message>
        <source>scalar</source>
        <translation>标量</translation>
    </message>
    <message>
        <source>grad</source>
        <translation>grad</translation>
    </message>
    <message>
        <source>shape {0}, {1}, {2}, requires grad</source>
        <translation>形状 {0}，{1}，{2}，requires_grad 为 True</translation>
    </message>
    <message>
        <source>shape {0}, {1}, {2}, does not require grad</source>
        <translation>形状 {0}，{1}，{2}，requires_grad 为 False</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>backward</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>A tensor with the elements below</source>
        <translation>由下方元素构成的张量</translation>
    </message>
    <message>
        <source>None, for instance for a bias that is left out</source>
        <translation>None，例如省略偏置时</translation>
    </message>
    <message>
        <source>literal</source>
        <translation>字面量</translation>
    </message>
    <message>
        <source>A Python literal: a number, a string, a list …</source>
        <translation>Python 字面量：数、字符串、列表 …</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>A tensor in a file of NumPy, torch or safetensors</source>
        <translation>NumPy、torch 或 safetensors 文件中的张量</translation>
    </message>
    <message>
        <source>can require gradients</source>
        <translation>可设 requires_grad</translation>
    </message>
    <message>
        <source>cannot require gradients</source>
        <translation>不能设 requires_grad</translation>
    </message>
    <message>
        <source>0, 1, 2 and so on, row by row: torch.arange(…).reshape(…)</source>
        <translation>0、1、2 …，逐行排列：torch.arange(…).reshape(…)</translation>
    </message>
    <message>
        <source>Evenly spaced from start to end: torch.linspace(…).reshape(…)</source>
        <translation>从 start 到 end 等距：torch.linspace(…).reshape(…)</translation>
    </message>
    <message>
        <source>All 0: torch.zeros</source>
        <translation>全为 0：torch.zeros</translation>
    </message>
    <message>
        <source>All 1: torch.ones</source>
        <translation>全为 1：torch.ones</translation>
    </message>
    <message>
        <source>All the same number: torch.full</source>
        <translation>全为同一个数：torch.full</translation>
    </message>
    <message>
        <source>1 on the diagonal, 0 elsewhere: torch.eye</source>
        <translation>对角线上为 1，其余为 0：torch.eye</translation>
    </message>
    <message>
        <source>Random numbers from the standard normal distribution: torch.randn</source>
        <translation>标准正态分布的随机数：torch.randn</translation>
    </message>
    <message>
        <source>Random numbers from the uniform distribution on [0, 1): torch.rand</source>
        <translation>[0, 1) 上均匀分布的随机数：torch.rand</translation>
    </message>
    <message>
        <source>Random integers from low to below high: torch.randint</source>
        <translation>大于或等于 low、小于 high 的随机整数：torch.randint</translation>
    </message>
    <message>
        <source>Typed one by one, or pasted</source>
        <translation>逐个键入或粘贴</translation>
    </message>
    <message>
        <source>As created by the file</source>
        <translation>按文件创建的原样</translation>
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
        <translation>无</translation>
    </message>
    <message>
        <source>The code runs its own backward passes</source>
        <translation>代码自行运行反向传播</translation>
    </message>
    <message>
        <source>by the code</source>
        <translation>由代码启动</translation>
    </message>
    <message>
        <source>The code calls backward itself, so gradviz starts no backward pass.</source>
        <translation>代码自行调用 backward，因此 gradviz 不启动反向传播。</translation>
    </message>
    <message>
        <source>The backward pass starts at the sum of output {0}, with the gradient 1. Other outputs get no gradient.</source>
        <translation>反向传播从输出 {0} 的和开始，梯度为 1。其他输出没有梯度。</translation>
    </message>
    <message>
        <source>The backward pass starts at output {0}, with a gradient of ones.</source>
        <translation>反向传播从输出 {0} 开始，梯度全为 1。</translation>
    </message>
    <message>
        <source>The backward pass starts at output {0}, with a random gradient (seed {1}).</source>
        <translation>反向传播从输出 {0} 开始，梯度随机（种子 {1}）。</translation>
    </message>
    <message>
        <source>gradviz starts no backward pass. The code may run its own.</source>
        <translation>gradviz 不启动反向传播。代码可以自行运行。</translation>
    </message>
    <message>
        <source>A quotation mark is not closed.</source>
        <translation>有引号没有闭合。</translation>
    </message>
    <message>
        <source>Enter a file that ends in {0}.</source>
        <translation>请输入以 {0} 结尾的文件。</translation>
    </message>
    <message>
        <source>low must be less than high; high itself is never drawn.</source>
        <translation>low 必须小于 high；抽取时不包括 high 本身。</translation>
    </message>
    <message>
        <source>{0} goes from {1} to {2}. high may be one more than that.</source>
        <translation>{0} 的范围是 {1} 到 {2}。high 可以比上限再大 1。</translation>
    </message>
    <message>
        <source>{0} cannot represent every integer above {1}, so arange is rounded there.</source>
        <translation>{0} 无法表示大于 {1} 的每个整数，因此 arange 在那里会舍入。</translation>
    </message>
    <message>
        <source>The shape has {1} elements; the grid can hold up to {0}.</source>
        <translation>该形状有 {1} 个元素；网格最多容纳 {0} 个。</translation>
    </message>
    <message>
        <source>eye needs a shape with two sizes, like 3×3.</source>
        <translation>eye 需要二维形状，如 3×3。</translation>
    </message>
    <message>
        <source>{0} creates fractions, but {1} holds only integers.</source>
        <translation>{0} 会产生小数，但 {1} 只能存放整数。</translation>
    </message>
    <message>
        <source>arange would count to {0}, but {1} ends at {2}.</source>
        <translation>arange 会数到 {0}，但 {1} 最大只到 {2}。</translation>
    </message>
    <message>
        <source>state dict</source>
        <translation>state_dict</translation>
    </message>
    <message>
        <source>mode</source>
        <translation>模式</translation>
    </message>
    <message>
        <source>given (mixed)</source>
        <translation>原样（混合）</translation>
    </message>
    <message>
        <source>As created by the file: submodules differ</source>
        <translation>按文件创建的原样：各子模块不同</translation>
    </message>
    <message>
        <source>given ({0})</source>
        <translation>原样（{0}）</translation>
    </message>
    <message>
        <source>This shape has {0} elements; the limit is {1}.</source>
        <translation>该形状有 {0} 个元素；上限为 {1} 个。</translation>
    </message>
    <message>
        <source>A size is missing. Write a shape as 2×3.</source>
        <translation>缺少一个维度大小。形状请写成 2×3 的形式。</translation>
    </message>
    <message>
        <source>{0} is not a valid size. Sizes must be 0 or more.</source>
        <translation>{0} 不是有效的维度大小。大小必须大于或等于 0。</translation>
    </message>
    <message>
        <source>Write a shape as 2×3, or leave it empty for a single number.</source>
        <translation>形状请写成 2×3 的形式；单个数请留空。</translation>
    </message>
    <message>
        <source>Enter a Python literal, like 3, &apos;mean&apos; or (1, 2).</source>
        <translation>请输入 Python 字面量，如 3、&apos;mean&apos; 或 (1, 2)。</translation>
    </message>
    <message>
        <source>The literal is too long; the limit is {0} characters.</source>
        <translation>字面量过长；上限为 {0} 个字符。</translation>
    </message>
    <message>
        <source>{0} is a name; a string needs quotes: &apos;{0}&apos;.</source>
        <translation>{0} 是名称；字符串需要引号：&apos;{0}&apos;。</translation>
    </message>
    <message>
        <source>This is not a Python literal. Write a number, string, list, tuple or dict.</source>
        <translation>这不是 Python 字面量。请输入数、字符串、列表、元组或字典。</translation>
    </message>
    <message>
        <source>arguments</source>
        <translation>实参</translation>
    </message>
</context>
<context>
    <name>InputsForm</name>
    <message>
        <source>Select a scene to see its inputs here.</source>
        <translation>选择一个示例，即可在此查看其输入。</translation>
    </message>
    <message>
        <source>made inputs</source>
        <translation>生成输入</translation>
    </message>
    <message>
        <source>Inputs are created on {0}.</source>
        <translation>输入在 {0} 上创建。</translation>
    </message>
    <message>
        <source>reset of all inputs</source>
        <translation>重置所有输入</translation>
    </message>
    <message>
        <source>An opened trace has no inputs to edit.</source>
        <translation>打开的跟踪记录没有可编辑的输入。</translation>
    </message>
    <message>
        <source>It takes no inputs.</source>
        <translation>不接受任何输入。</translation>
    </message>
    <message>
        <source>These are not the scene&apos;s original inputs.</source>
        <translation>这些不是该示例的原始输入。</translation>
    </message>
    <message>
        <source>These are not the file&apos;s original inputs.</source>
        <translation>这些不是该文件的原始输入。</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>start of backward</source>
        <translation>backward 的起点</translation>
    </message>
    <message>
        <source>state dict</source>
        <translation>state_dict</translation>
    </message>
    <message>
        <source>mode</source>
        <translation>模式</translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>The values of each step appear here.</source>
        <translation>每一步的值显示在这里。</translation>
    </message>
    <message>
        <source>Values of the step</source>
        <translation>步骤中的值</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Loading elements…</source>
        <translation>正在加载元素…</translation>
    </message>
    <message>
        <source>Created in step {number}; click to go there.</source>
        <translation>在第 {number} 步创建；点击可转到该步骤。</translation>
    </message>
    <message>
        <source>from step {number}</source>
        <translation>来自第 {number} 步</translation>
    </message>
</context>
<context>
    <name>InspectorHeader</name>
    <message>
        <source>Whole sentence</source>
        <translation>完整句子</translation>
    </message>
    <message>
        <source>Show the whole sentence (Space)</source>
        <translation>显示完整句子（空格键）</translation>
    </message>
    <message>
        <source>Back to current step</source>
        <translation>返回当前步骤</translation>
    </message>
    <message>
        <source>Show the node of the current step again (Space)</source>
        <translation>重新显示当前步骤的节点（空格键）</translation>
    </message>
</context>
<context>
    <name>IterationPlot</name>
    <message>
        <source>Curves over the iterations</source>
        <translation>迭代曲线</translation>
    </message>
    <message>
        <source>iteration {0}</source>
        <translation>第 {0} 次迭代</translation>
    </message>
    <message>
        <source>its steps were not recorded; ticks mark those that were</source>
        <translation>其步骤未录制；刻度标出已录制的迭代</translation>
    </message>
    <message>
        <source>up to {0} (log)</source>
        <translation>最大 {0}（对数）</translation>
    </message>
    <message>
        <source>up to {0}</source>
        <translation>最大 {0}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>{0} to {1}</source>
        <translation>{0} 至 {1}</translation>
    </message>
    <message>
        <source>log scale</source>
        <translation>对数刻度</translation>
    </message>
    <message>
        <source>Shift+click: compare the current iteration with it</source>
        <translation>Shift+单击：将当前迭代与它比较</translation>
    </message>
</context>
<context>
    <name>IterationStrip</name>
    <message>
        <source>Iterations</source>
        <translation>迭代</translation>
    </message>
    <message>
        <source>iteration {0}</source>
        <translation>第 {0} 次迭代</translation>
    </message>
</context>
<context>
    <name>JacobianView</name>
    <message>
        <source>Nothing to compare: the matrix is empty.</source>
        <translation>没有可比较的内容：矩阵为空。</translation>
    </message>
    <message>
        <source>{name}: {judgement}</source>
        <translation>{name}：{judgement}</translation>
    </message>
    <message>
        <source>{name}, pinned: {judgement}</source>
        <translation>{name}，已固定：{judgement}</translation>
    </message>
    <message>
        <source>First map</source>
        <translation>第一幅矩阵图</translation>
    </message>
    <message>
        <source>Second map</source>
        <translation>第二幅矩阵图</translation>
    </message>
    <message>
        <source>Third map</source>
        <translation>第三幅矩阵图</translation>
    </message>
    <message>
        <source>Map: {title}</source>
        <translation>矩阵图：{title}</translation>
    </message>
    <message>
        <source>Rows are elements of the input, columns are elements of the output. Numbers are rounded to a hundredth of the tolerance; the exact values are in the report. A corner marks elements outside the tolerance; if the cells are small, bars beside the map mark their rows and columns. Click an element or press Enter to explain it.</source>
        <translation>行对应输入的元素，列对应输出的元素。数字按容差的百分之一舍入；精确值见报告。超出容差的元素带有角标；单元格太小时，图边的短条标出它们所在的行和列。点击元素或按 Enter 可查看其解释。</translation>
    </message>
</context>
<context>
    <name>Jacobians</name>
    <message>
        <source>{headline} Diagnosis: {faults}.</source>
        <translation>{headline}诊断：{faults}。</translation>
    </message>
    <message>
        <source>{pair}: {line}</source>
        <translation>{pair}：{line}</translation>
    </message>
    <message>
        <source>The backward has not been checked yet.
Check compares two sets of second derivatives: those from differentiating backward, and those from small changes of each input and of grad_output.</source>
        <translation>尚未检查 backward。
“检查”会比较两组二阶导数：一组通过对 backward 求导得到，另一组通过对每个输入和 grad_output 作微小改变得到。</translation>
    </message>
    <message>
        <source>Nothing has been checked yet.
Check compares the gradient that backward returns with the effect of small changes of each input.</source>
        <translation>尚未检查任何内容。
“检查”会把 backward 返回的梯度与每个输入的微小改变所产生的影响作比较。</translation>
    </message>
    <message>
        <source>{text}
In this scene, Check tests {name}.</source>
        <translation>{text}
在这个示例中，“检查”测试的是 {name}。</translation>
    </message>
    <message>
        <source>This scene has no Jacobians to check.
It shows a whole program, not a single function whose gradient could be compared with small changes of its inputs.</source>
        <translation>这个示例没有可检查的雅可比矩阵。
它展示的是整个程序，不是单个函数，没有梯度可与输入的微小改变作比较。</translation>
    </message>
    <message>
        <source>The check is running; nothing has been compared yet.</source>
        <translation>检查正在进行；还没有比较任何内容。</translation>
    </message>
    <message>
        <source>Both Jacobians are computed. The diagnosis is running.</source>
        <translation>两个雅可比矩阵均已计算完成。正在诊断。</translation>
    </message>
    <message>
        <source>Computing: nothing has been compared yet, and hatched areas are still missing.</source>
        <translation>正在计算：尚未比较任何内容，阴影线区域仍缺失。</translation>
    </message>
    <message>
        <source>Not finished: hatched areas were not computed, and nothing was compared.</source>
        <translation>未完成：阴影线区域没有计算，也没有比较任何内容。</translation>
    </message>
    <message>
        <source>not finished</source>
        <translation>未完成</translation>
    </message>
    <message>
        <source>gradgradcheck compares backward only with itself. gradcheck passes here.</source>
        <translation>gradgradcheck 只把 backward 与其自身比较。gradcheck 在这里通过。</translation>
    </message>
    <message>
        <source>gradgradcheck compares backward only with itself, so a wrong but consistent backward passes. gradcheck fails here.</source>
        <translation>gradgradcheck 只把 backward 与其自身比较，因此错误但自洽的 backward 也能通过。gradcheck 在这里未通过。</translation>
    </message>
    <message>
        <source>gradgradcheck compares backward only with itself, so a wrong but consistent backward passes. Run gradcheck too.</source>
        <translation>gradgradcheck 只把 backward 与其自身比较，因此错误但自洽的 backward 也能通过。请同时运行 gradcheck。</translation>
    </message>
    <message>
        <source>Rule: |analytical − numerical| ≤ {atol} + {rtol} · |numerical|, with eps {eps}</source>
        <translation>规则：|解析 − 数值| ≤ {atol} + {rtol} · |数值|，eps 为 {eps}</translation>
    </message>
    <message>
        <source>∂ {output} / ∂ {input}</source>
        <translation>∂ {output} / ∂ {input}</translation>
    </message>
    <message>
        <source>∂ {output} ({part} part) / ∂ {input}</source>
        <translation>∂ {output}（{part} 部分）/ ∂ {input}</translation>
    </message>
    <message>
        <source>no elements</source>
        <translation>没有元素</translation>
    </message>
    <message>
        <source>{wrong} of {count} outside the tolerance</source>
        <translation>{count} 个中有 {wrong} 个超出容差</translation>
    </message>
    <message>
        <source>all {count} within the tolerance</source>
        <translation>全部 {count} 个都在容差内</translation>
    </message>
    <message>
        <source>{wrong} of {count} wrong</source>
        <translation>{count} 个中有 {wrong} 个错误</translation>
    </message>
    <message>
        <source>all {count} agree</source>
        <translation>全部 {count} 个都一致</translation>
    </message>
    <message>
        <source>within the tolerance</source>
        <translation>在容差内</translation>
    </message>
    <message>
        <source>outside the tolerance</source>
        <translation>超出容差</translation>
    </message>
    <message>
        <source>{times} times the tolerance</source>
        <translation>容差的 {times} 倍</translation>
    </message>
    <message>
        <source>worst element, {judgement}</source>
        <translation>误差最大的元素，{judgement}</translation>
    </message>
    <message>
        <source>Effect of small changes of each input, by central differences</source>
        <translation>每个输入的微小改变所产生的影响，用中心差分计算</translation>
    </message>
    <message>
        <source>What backward returns, for one element of grad_output at a time</source>
        <translation>backward 的返回值，每次对应 grad_output 的一个元素</translation>
    </message>
    <message>
        <source>What jvp returns, for one element of the input at a time</source>
        <translation>jvp 的返回值，每次对应输入的一个元素</translation>
    </message>
    <message>
        <source>What autograd computes for the reference implementation</source>
        <translation>autograd 对参考实现的计算结果</translation>
    </message>
    <message>
        <source>The analytical Jacobian after the repair that the diagnosis tried</source>
        <translation>应用诊断所尝试的修复后得到的解析雅可比矩阵</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>差值</translation>
    </message>
    <message>
        <source>tolerance</source>
        <translation>容差</translation>
    </message>
    <message>
        <source>spread</source>
        <translation>离散度</translation>
    </message>
    <message>
        <source>{other} − {base}</source>
        <translation>{other} − {base}</translation>
    </message>
    <message>
        <source>|{other} − {base}| / (atol + rtol · |{base}|): more than 1 is outside</source>
        <translation>|{other} − {base}| / (atol + rtol · |{base}|)：大于 1 即超出容差</translation>
    </message>
    <message>
        <source>How much repeated backward passes differ</source>
        <translation>重复反向传播的结果相差多少</translation>
    </message>
    <message>
        <source>{input} was changed by ±{eps}: the change of {output} is not finite.</source>
        <translation>{input} 改变 ±{eps}：{output} 的变化不是有限值。</translation>
    </message>
    <message>
        <source>{input} was changed by ±{eps}, which changed {output} by {change}. Divided by {step}, this is {value}.</source>
        <translation>{input} 改变 ±{eps}，使 {output} 变化了 {change}。除以 {step}，得到 {value}。</translation>
    </message>
    <message>
        <source>Backward received a grad_output of 1 at {output} and 0 elsewhere. The gradient of {name} that it returned is {value} at {index}.</source>
        <translation>backward 收到的 grad_output 在 {output} 处为 1，其余为 0。它返回的 {name} 的梯度在 {index} 处为 {value}。</translation>
    </message>
    <message>
        <source>Autograd&apos;s backward of the reference implementation, for a grad_output of 1 at {output} and 0 elsewhere, returned {value} at {input}.</source>
        <translation>grad_output 在 {output} 处为 1、其余为 0 时，autograd 对参考实现执行的反向传播在 {input} 处返回 {value}。</translation>
    </message>
    <message>
        <source>Forward mode, for a tangent of 1 at {input}, returned {value} at {output}.</source>
        <translation>切向量在 {input} 处为 1 时，前向模式在 {output} 处返回 {value}。</translation>
    </message>
    <message>
        <source>After the attempted repair, this element is {value}.</source>
        <translation>尝试修复后，该元素为 {value}。</translation>
    </message>
    <message>
        <source>Double backward received 1 at {output} and 0 elsewhere. The gradient of {name} that it returned is {value} at {index}.</source>
        <translation>二次反向在 {output} 处收到 1，其余为 0。它返回的 {name} 的梯度在 {index} 处为 {value}。</translation>
    </message>
    <message>
        <source>its only element</source>
        <translation>唯一的元素</translation>
    </message>
    <message>
        <source>Row {row}: the effect of {input} on each element of {output_name}. Column {column}: the whole gradient of {input_name} for a grad_output of 1 at {output}.</source>
        <translation>第 {row} 行：{input} 对 {output_name} 每个元素的影响。第 {column} 列：grad_output 在 {output} 处为 1 时，{input_name} 的整个梯度。</translation>
    </message>
    <message>
        <source>all zero</source>
        <translation>全为零</translation>
    </message>
    <message>
        <source>identity matrix</source>
        <translation>单位矩阵</translation>
    </message>
    <message>
        <source>diagonal</source>
        <translation>对角</translation>
    </message>
    <message>
        <source>block-diagonal, {count} blocks of {rows}×{columns}</source>
        <translation>分块对角，{count} 个 {rows}×{columns} 的块</translation>
    </message>
    <message>
        <source>banded, {band} diagonals on each side of the main one</source>
        <translation>带状，主对角线两侧各有 {band} 条对角线</translation>
    </message>
    <message>
        <source>dense, no exact zeros</source>
        <translation>稠密，没有恰好为零的元素</translation>
    </message>
    <message>
        <source>{share} of the elements are exactly zero</source>
        <translation>{share} 的元素恰好为零</translation>
    </message>
    <message>
        <source>{name}: {about}</source>
        <translation>{name}：{about}</translation>
    </message>
    <message>
        <source>{times}   {name}
{values}</source>
        <translation>{times}   {name}
{values}</translation>
    </message>
    <message>
        <source>not finite</source>
        <translation>不是有限值</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>{name} ({part} part)</source>
        <translation>{name}（{part} 部分）</translation>
    </message>
    <message>
        <source>This scene has no Jacobians to check.</source>
        <translation>这个示例没有可检查的雅可比矩阵。</translation>
    </message>
    <message>
        <source>Another task is in progress.</source>
        <translation>另一项任务正在进行。</translation>
    </message>
    <message>
        <source>Run a scene or a Python file first. A trace file cannot be checked.</source>
        <translation>请先运行示例或 Python 文件。跟踪文件无法检查。</translation>
    </message>
</context>
<context>
    <name>JacobiansPanel</name>
    <message>
        <source>Choose a Function first.</source>
        <translation>请先选择一个 Function。</translation>
    </message>
    <message>
        <source>Jacobians</source>
        <translation>雅可比</translation>
    </message>
    <message>
        <source>No pair of output and input to compare.</source>
        <translation>没有可比较的输出与输入对。</translation>
    </message>
    <message>
        <source>Nothing was compared: the check ended at the marked line.</source>
        <translation>没有比较任何内容：检查在标出的那一行结束。</translation>
    </message>
    <message>
        <source>Nothing was compared. Change the code or the inputs, and check again.</source>
        <translation>没有比较任何内容。请修改代码或输入，然后重新检查。</translation>
    </message>
</context>
<context>
    <name>KeySheet</name>
    <message>
        <source>Keyboard Shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
</context>
<context>
    <name>Keys</name>
    <message>
        <source>In the list of breakpoints</source>
        <translation>在断点列表中</translation>
    </message>
    <message>
        <source>Go to the next hit</source>
        <translation>转到下一次命中</translation>
    </message>
    <message>
        <source>Turn the breakpoint on or off</source>
        <translation>启用或停用断点</translation>
    </message>
    <message>
        <source>Remove the breakpoint</source>
        <translation>移除断点</translation>
    </message>
    <message>
        <source>Anywhere</source>
        <translation>任意位置</translation>
    </message>
    <message>
        <source>In the console</source>
        <translation>在控制台中</translation>
    </message>
    <message>
        <source>Go to the step that printed the line</source>
        <translation>转到打印该行的步骤</translation>
    </message>
    <message>
        <source>In the list of findings</source>
        <translation>在问题列表中</translation>
    </message>
    <message>
        <source>Go to the step of the finding</source>
        <translation>转到问题所在的步骤</translation>
    </message>
    <message>
        <source>In the inspector</source>
        <translation>在检查器中</translation>
    </message>
    <message>
        <source>In the list of lessons and stops</source>
        <translation>在课程和环节列表中</translation>
    </message>
    <message>
        <source>Open the lesson, or go to the stop</source>
        <translation>打开课程，或转到环节</translation>
    </message>
    <message>
        <source>In the library</source>
        <translation>在示例库中</translation>
    </message>
    <message>
        <source>Run the selected entry</source>
        <translation>运行所选条目</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Previous step</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>First step</source>
        <translation>第一步</translation>
    </message>
    <message>
        <source>Last step</source>
        <translation>最后一步</translation>
    </message>
    <message>
        <source>Step into stages, lines and ops</source>
        <translation>单步进入阶段、行和算子</translation>
    </message>
    <message>
        <source>Step out</source>
        <translation>单步跳出</translation>
    </message>
    <message>
        <source>Play or pause</source>
        <translation>播放或暂停</translation>
    </message>
    <message>
        <source>Number of an input: run again with a larger one; drag it, too</source>
        <translation>输入的数字：用更大的数字重新运行；也可拖动</translation>
    </message>
    <message>
        <source>Number of an input: run again with a smaller one</source>
        <translation>输入的数字：用更小的数字重新运行</translation>
    </message>
    <message>
        <source>Copy as torch.tensor(…)</source>
        <translation>复制为 torch.tensor(…)</translation>
    </message>
    <message>
        <source>Unpin the element</source>
        <translation>取消固定元素</translation>
    </message>
    <message>
        <source>In the timeline</source>
        <translation>在时间线中</translation>
    </message>
    <message>
        <source>Show fewer steps</source>
        <translation>显示更少步骤</translation>
    </message>
    <message>
        <source>Show more steps</source>
        <translation>显示更多步骤</translation>
    </message>
    <message>
        <source>Show all steps</source>
        <translation>显示所有步骤</translation>
    </message>
    <message>
        <source>In the graph</source>
        <translation>在计算图中</translation>
    </message>
    <message>
        <source>Go to the node above</source>
        <translation>转到上方的节点</translation>
    </message>
    <message>
        <source>Go to the node below</source>
        <translation>转到下方的节点</translation>
    </message>
    <message>
        <source>Go to the node on the left</source>
        <translation>转到左侧的节点</translation>
    </message>
    <message>
        <source>Go to the node on the right</source>
        <translation>转到右侧的节点</translation>
    </message>
    <message>
        <source>Open the group, or go to the node&apos;s next step</source>
        <translation>展开分组，或转到节点的下一个步骤</translation>
    </message>
    <message>
        <source>Center the node; press again to fit the graph</source>
        <translation>将节点居中；再按一次则让整个计算图适合窗口</translation>
    </message>
    <message>
        <source>Show details of the node</source>
        <translation>显示节点的详细信息</translation>
    </message>
    <message>
        <source>Select nothing</source>
        <translation>取消选择</translation>
    </message>
    <message>
        <source>In Presenter Mode</source>
        <translation>在演示模式中</translation>
    </message>
    <message>
        <source>Next step; in quiz mode, reveal the answer first</source>
        <translation>下一步；在测验模式中先揭晓答案</translation>
    </message>
    <message>
        <source>Black screen; any key brings the window back</source>
        <translation>黑屏；按任意键恢复窗口</translation>
    </message>
    <message>
        <source>Quiz mode: hide what each step computes until you reveal it; press again to hide this step and all later ones again</source>
        <translation>测验模式：隐藏每一步的计算结果，直到您揭晓为止；再按一次会重新隐藏这一步及之后的所有步骤</translation>
    </message>
    <message>
        <source>Show all answers</source>
        <translation>显示所有答案</translation>
    </message>
    <message>
        <source>Draw with the mouse until the next step</source>
        <translation>用鼠标标注，到下一步为止</translation>
    </message>
    <message>
        <source>Spotlight around the pointer until the next step</source>
        <translation>在指针周围显示聚光灯，到下一步为止</translation>
    </message>
    <message>
        <source>Put away pen and spotlight; close the guide; then leave presenter mode</source>
        <translation>收起画笔和聚光灯；关闭指南；然后退出演示模式</translation>
    </message>
    <message>
        <source>On a number of an input, in Presenter Mode</source>
        <translation>在演示模式中，选中输入的数字时</translation>
    </message>
    <message>
        <source>Run again with a larger number; drag, too</source>
        <translation>用更大的数字重新运行；也可拖动</translation>
    </message>
    <message>
        <source>Run again with a smaller number</source>
        <translation>用更小的数字重新运行</translation>
    </message>
    <message>
        <source>Choose the next number</source>
        <translation>选择下一个数字</translation>
    </message>
    <message>
        <source>Choose the previous number</source>
        <translation>选择上一个数字</translation>
    </message>
    <message>
        <source>Go back to the recorded run</source>
        <translation>回到录制的运行</translation>
    </message>
    <message>
        <source>Choose no number, and go back to the recorded run</source>
        <translation>取消选择数字，并回到录制的运行</translation>
    </message>
    <message>
        <source>With the spotlight</source>
        <translation>使用聚光灯时</translation>
    </message>
    <message>
        <source>Larger circle; the wheel, too</source>
        <translation>放大光圈；也可用滚轮</translation>
    </message>
    <message>
        <source>Smaller circle</source>
        <translation>缩小光圈</translation>
    </message>
    <message>
        <source>On a tensor in the inspector</source>
        <translation>在检查器的张量上</translation>
    </message>
    <message>
        <source>Go to the element on the left</source>
        <translation>转到左侧的元素</translation>
    </message>
    <message>
        <source>Go to the element on the right</source>
        <translation>转到右侧的元素</translation>
    </message>
    <message>
        <source>Go to the element above</source>
        <translation>转到上方的元素</translation>
    </message>
    <message>
        <source>Go to the element below</source>
        <translation>转到下方的元素</translation>
    </message>
    <message>
        <source>Enlarge the tensor; on an element, pin it in every view</source>
        <translation>放大张量；在元素上则在每个视图中固定该元素</translation>
    </message>
    <message>
        <source>On a tensor in its own window</source>
        <translation>在独立窗口的张量上</translation>
    </message>
    <message>
        <source>Pin the element in every view</source>
        <translation>在每个视图中固定该元素</translation>
    </message>
    <message>
        <source>In a grid of input elements</source>
        <translation>在输入元素的网格中</translation>
    </message>
    <message>
        <source>Go to the next element; from the last one, to the next field</source>
        <translation>转到下一个元素；在最后一个元素上则转到下一个字段</translation>
    </message>
    <message>
        <source>Go to the previous element</source>
        <translation>转到上一个元素</translation>
    </message>
    <message>
        <source>Go to the next field</source>
        <translation>转到下一个字段</translation>
    </message>
    <message>
        <source>Edit the element</source>
        <translation>编辑元素</translation>
    </message>
    <message>
        <source>Set the selected elements to 0</source>
        <translation>将所选元素设为 0</translation>
    </message>
    <message>
        <source>Copy the selected elements in spreadsheet format</source>
        <translation>以电子表格格式复制所选元素</translation>
    </message>
    <message>
        <source>Paste a table, a list or a printed tensor</source>
        <translation>粘贴表格、列表或打印出的张量</translation>
    </message>
    <message>
        <source>In the search field</source>
        <translation>在搜索框中</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>下一个匹配项</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>上一个匹配项</translation>
    </message>
    <message>
        <source>Go to the step of the match</source>
        <translation>转到匹配项所在的步骤</translation>
    </message>
    <message>
        <source>Close the search</source>
        <translation>关闭搜索</translation>
    </message>
    <message>
        <source>In the command palette</source>
        <translation>在命令面板中</translation>
    </message>
    <message>
        <source>Next command</source>
        <translation>下一条命令</translation>
    </message>
    <message>
        <source>Previous command</source>
        <translation>上一条命令</translation>
    </message>
    <message>
        <source>Run the command</source>
        <translation>运行命令</translation>
    </message>
    <message>
        <source>Close the command palette</source>
        <translation>关闭命令面板</translation>
    </message>
    <message>
        <source>In the op table</source>
        <translation>在算子表中</translation>
    </message>
    <message>
        <source>Go to the op, line or stage of the row</source>
        <translation>转到该表格行的算子、行或阶段</translation>
    </message>
    <message>
        <source>Copy the row</source>
        <translation>复制该表格行</translation>
    </message>
    <message>
        <source>In the outline</source>
        <translation>在大纲中</translation>
    </message>
    <message>
        <source>Go to the node&apos;s step; on a module, expand or collapse it</source>
        <translation>转到节点的步骤；在模块上则展开或折叠</translation>
    </message>
    <message>
        <source>In the source</source>
        <translation>在源代码中</translation>
    </message>
    <message>
        <source>Enlarge the local variable at the cursor</source>
        <translation>放大光标处的局部变量</translation>
    </message>
    <message>
        <source>Copy the selected text (select with Shift and arrow keys)</source>
        <translation>复制所选文本（用 Shift 和方向键选择）</translation>
    </message>
    <message>
        <source>In the What If list</source>
        <translation>在假设分析列表中</translation>
    </message>
    <message>
        <source>Edit the change</source>
        <translation>编辑更改</translation>
    </message>
    <message>
        <source>Turn the change on or off</source>
        <translation>启用或停用更改</translation>
    </message>
    <message>
        <source>Remove the change</source>
        <translation>移除更改</translation>
    </message>
</context>
<context>
    <name>LargeTensorView</name>
    <message>
        <source>Empty: no elements.</source>
        <translation>空：没有元素。</translation>
    </message>
    <message>
        <source>Preparing the heatmap…</source>
        <translation>正在准备热图…</translation>
    </message>
    <message>
        <source>Histogram of all {elements}.</source>
        <translation>直方图：全部 {elements}。</translation>
    </message>
    <message>
        <source>Histogram of the {kept} kept elements of {count}.</source>
        <translation>直方图：{count} 个元素中已保留的 {kept} 个。</translation>
    </message>
    <message>
        <source>Point at an element or press an arrow key. Press Enter or click to pin it.</source>
        <translation>指向某个元素或按方向键。按 Enter 或点击可将其固定。</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>current step</source>
        <translation>当前步骤</translation>
    </message>
    <message>
        <source>created</source>
        <translation>已创建</translation>
    </message>
    <message>
        <source>done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>to come</source>
        <translation>待执行</translation>
    </message>
    <message>
        <source>not in this pass</source>
        <translation>不在本轮传播中</translation>
    </message>
    <message>
        <source>freed</source>
        <translation>已释放</translation>
    </message>
    <message>
        <source>selected</source>
        <translation>已选中</translation>
    </message>
    <message>
        <source>search match</source>
        <translation>搜索匹配项</translation>
    </message>
    <message>
        <source>no gradient flows</source>
        <translation>没有梯度流过</translation>
    </message>
    <message>
        <source>no gradient can flow</source>
        <translation>梯度无法流过</translation>
    </message>
    <message>
        <source>open group</source>
        <translation>已展开的分组</translation>
    </message>
    <message>
        <source>order of derivative</source>
        <translation>导数的阶数</translation>
    </message>
    <message>
        <source>shared memory</source>
        <translation>共享内存</translation>
    </message>
    <message>
        <source>problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>isolated NaN or Inf</source>
        <translation>孤立的 NaN 或 Inf</translation>
    </message>
    <message>
        <source>breakpoint</source>
        <translation>断点</translation>
    </message>
    <message>
        <source>time while recording, up to {0}</source>
        <translation>记录时的耗时，最多 {0}</translation>
    </message>
    <message>
        <source>custom Function</source>
        <translation>自定义 Function</translation>
    </message>
    <message>
        <source>built-in node</source>
        <translation>内置节点</translation>
    </message>
    <message>
        <source>AccumulateGrad</source>
        <translation>AccumulateGrad</translation>
    </message>
    <message>
        <source>raises an error</source>
        <translation>引发错误</translation>
    </message>
    <message>
        <source>leaf</source>
        <translation>叶子张量</translation>
    </message>
    <message>
        <source>repeated use</source>
        <translation>重复使用</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>saved tensors</source>
        <translation>保存的张量</translation>
    </message>
    <message>
        <source>closed group</source>
        <translation>已折叠的分组</translation>
    </message>
    <message>
        <source>cut: no history</source>
        <translation>断开：没有历史</translation>
    </message>
    <message>
        <source>dead end: no gradient</source>
        <translation>死路：没有梯度</translation>
    </message>
</context>
<context>
    <name>Lesson</name>
    <message>
        <source>{0} min</source>
        <translation>{0} 分钟</translation>
    </message>
</context>
<context>
    <name>LessonBar</name>
    <message>
        <source>Number of the stop and of all stops</source>
        <translation>当前环节序号和环节总数</translation>
    </message>
    <message>
        <source>Previous Stop</source>
        <translation>上一个环节</translation>
    </message>
    <message>
        <source>Next Stop</source>
        <translation>下一个环节</translation>
    </message>
    <message>
        <source>Leave Lesson</source>
        <translation>退出课程</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>概览</translation>
    </message>
    <message>
        <source>Show all stops</source>
        <translation>显示所有环节</translation>
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
        <translation>{0} 没有环节。请用 [[stop]] 添加。</translation>
    </message>
    <message>
        <source>Previous stop</source>
        <translation>上一个环节</translation>
    </message>
</context>
<context>
    <name>LessonEditor</name>
    <message>
        <source>Save Lesson As</source>
        <translation>课程另存为</translation>
    </message>
    <message>
        <source>Lessons ({0})</source>
        <translation>课程 ({0})</translation>
    </message>
</context>
<context>
    <name>LessonPanel</name>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>编辑…</translation>
    </message>
    <message>
        <source>Edit stop</source>
        <translation>编辑环节</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Move stop up</source>
        <translation>上移环节</translation>
    </message>
    <message>
        <source>Down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>Move stop down</source>
        <translation>下移环节</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove stop</source>
        <translation>移除环节</translation>
    </message>
    <message>
        <source>{0} spent</source>
        <translation>已用 {0}</translation>
    </message>
    <message>
        <source>{0}, {1}</source>
        <translation>{0}，{1}</translation>
    </message>
    <message>
        <source>Choose a lesson</source>
        <translation>选择课程</translation>
    </message>
</context>
<context>
    <name>LessonPlayer</name>
    <message>
        <source>There is no scene {0}.</source>
        <translation>没有示例 {0}。</translation>
    </message>
</context>
<context>
    <name>Library</name>
    <message>
        <source>Listed from the text; the file has not run</source>
        <translation>根据文件文本列出；文件尚未运行</translation>
    </message>
    <message>
        <source>{0} as a script</source>
        <translation>{0}（作为脚本）</translation>
    </message>
</context>
<context>
    <name>LibraryPanel</name>
    <message>
        <source>Library</source>
        <translation>示例库</translation>
    </message>
    <message>
        <source>Your Files</source>
        <translation>您的文件</translation>
    </message>
</context>
<context>
    <name>LibrarySearch</name>
    <message>
        <source>Filter the library</source>
        <translation>筛选示例库</translation>
    </message>
    <message>
        <source>Show only entries that contain every word (Enter: run the first one, Esc: clear)</source>
        <translation>只显示包含所有词的条目（Enter：运行第一个，Esc：清除）</translation>
    </message>
    <message>
        <source>No entry in the library matches.</source>
        <translation>示例库中没有匹配的条目。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln entry(s)</source>
        <translation>
            <numerusform>%Ln 个条目</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LineButton</name>
    <message>
        <source>Computed in {place}</source>
        <translation>计算位置：{place}</translation>
    </message>
    <message>
        <source>Last computed in {place}</source>
        <translation>最后计算位置：{place}</translation>
    </message>
    <message>
        <source>Show this line of backward in the Source pane</source>
        <translation>在“源代码”面板中显示 backward 的这一行</translation>
    </message>
</context>
<context>
    <name>LinkCommands</name>
    <message>
        <source>Copied: {0}</source>
        <translation>已复制：{0}</translation>
    </message>
</context>
<context>
    <name>LocalsPanel</name>
    <message>
        <source>Local variables</source>
        <translation>局部变量</translation>
    </message>
    <message>
        <source>Record Lines</source>
        <translation>录制行</translation>
    </message>
    <message>
        <source>Run again and record each line</source>
        <translation>重新运行并录制每一行</translation>
    </message>
    <message>
        <source>Locals of {function}</source>
        <translation>{function} 的局部变量</translation>
    </message>
    <message>
        <source>No local variables are set.</source>
        <translation>没有设置局部变量。</translation>
    </message>
    <message>
        <source>Locals</source>
        <translation>局部变量</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
</context>
<context>
    <name>MapFooter</name>
    <message>
        <source>Zeros</source>
        <translation>零值</translation>
    </message>
    <message>
        <source>Worst Element</source>
        <translation>误差最大处</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>适合窗口</translation>
    </message>
    <message>
        <source>Go to the element with the largest error relative to the tolerance</source>
        <translation>转到相对于容差误差最大的元素</translation>
    </message>
    <message>
        <source>Show the whole matrix (F, or double-click)</source>
        <translation>显示整个矩阵（F 或双击）</translation>
    </message>
    <message>
        <source>{structure} · difference = {difference}</source>
        <translation>{structure} · 差值 = {difference}</translation>
    </message>
    <message>
        <source>Zeros: {share}</source>
        <translation>零值：{share}</translation>
    </message>
    <message>
        <source>Highlight exact zeros, however small the other elements are.
{texts}</source>
        <translation>突出显示恰好为零的元素，无论其他元素有多小。
{texts}</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Panels</source>
        <translation>面板(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Graph</source>
        <translation>计算图(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Step</source>
        <translation>步骤(&amp;S)</translation>
    </message>
    <message>
        <source>Playba&amp;ck Speed</source>
        <translation>播放速度(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Breakpoints</source>
        <translation>断点(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Lesson</source>
        <translation>课程(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
</context>
<context>
    <name>MessageBar</name>
    <message>
        <source>Open in Guide</source>
        <translation>在指南中打开</translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
</context>
<context>
    <name>ModeSwitch</name>
    <message>
        <source>Heatmap</source>
        <translation>热图</translation>
    </message>
    <message>
        <source>Show the values as colors (Space)</source>
        <translation>用颜色显示数值（空格键）</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>Show the values in a table (Space)</source>
        <translation>用表格显示数值（空格键）</translation>
    </message>
    <message>
        <source>Histogram</source>
        <translation>直方图</translation>
    </message>
    <message>
        <source>Show how often values occur (Space)</source>
        <translation>显示各数值出现的次数（空格键）</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
</context>
<context>
    <name>ModuleFields</name>
    <message>
        <source>Choose File…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>State dict of the Module</source>
        <translation>模块的 state_dict</translation>
    </message>
    <message>
        <source>such as model.pt</source>
        <translation>例如 model.pt</translation>
    </message>
    <message>
        <source>File with the state dict to load, and its key after a colon if it is in a checkpoint; empty for the parameters that the file creates</source>
        <translation>要加载的 state_dict 所在的文件；如果 state_dict 位于检查点中，在冒号后写上它的键；留空则使用所运行的文件创建的参数</translation>
    </message>
    <message>
        <source>Choose the file with the state dict</source>
        <translation>选择 state_dict 文件</translation>
    </message>
    <message>
        <source>Mode of the Module</source>
        <translation>模块的模式</translation>
    </message>
    <message>
        <source>Whether train() or eval() is called before the run</source>
        <translation>运行前调用 train() 还是 eval()</translation>
    </message>
    <message>
        <source>State dicts ({0})</source>
        <translation>state_dict ({0})</translation>
    </message>
    <message>
        <source>Choose a State Dict</source>
        <translation>选择 state_dict</translation>
    </message>
</context>
<context>
    <name>MoreButton</name>
    <message>
        <source>{count} more</source>
        <translation>另有 {count} 个</translation>
    </message>
    <message>
        <source>Show more (Space)</source>
        <translation>显示更多（空格键）</translation>
    </message>
</context>
<context>
    <name>NavigationRail</name>
    <message>
        <source>Side Panels</source>
        <translation>侧边面板</translation>
    </message>
    <message>
        <source>Show or hide the panel {0}</source>
        <translation>显示或隐藏“{0}”面板</translation>
    </message>
</context>
<context>
    <name>NoOpsNotice</name>
    <message>
        <source>Record Ops and Run Again</source>
        <translation>录制算子并重新运行</translation>
    </message>
    <message>
        <source>The ops within a step are listed here.</source>
        <translation>步骤内的算子在此列出。</translation>
    </message>
    <message>
        <source>The contents of this step are hidden until the answer is revealed.</source>
        <translation>揭晓答案之前，此步骤的内容保持隐藏。</translation>
    </message>
    <message>
        <source>This run was recorded without the ops within nodes.</source>
        <translation>本次运行没有录制节点内的算子。</translation>
    </message>
    <message>
        <source>This run was recorded without the ops within nodes. To record them, use gradviz record --level {level}.</source>
        <translation>本次运行没有录制节点内的算子。要录制它们，请使用 gradviz record --level {level}。</translation>
    </message>
    <message>
        <source>This step only marks a point in the run; it computes nothing.</source>
        <translation>此步骤只标记运行中的一个时刻，不进行任何计算。</translation>
    </message>
    <message>
        <source>No ops were recorded in this step.</source>
        <translation>此步骤中没有录制算子。</translation>
    </message>
</context>
<context>
    <name>NodeCommands</name>
    <message>
        <source>&amp;Node</source>
        <translation>节点(&amp;N)</translation>
    </message>
    <message>
        <source>Select Where Its Gradient Comes &amp;From</source>
        <translation>选择其梯度的来处(&amp;F)</translation>
    </message>
    <message>
        <source>Select Where Its Gradients G&amp;o</source>
        <translation>选择其梯度的去处(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;What If</source>
        <translation>假设分析(&amp;W)</translation>
    </message>
    <message>
        <source>and {0} more: use Find to list them</source>
        <translation>以及另外 {0} 个：用“查找”列出</translation>
    </message>
</context>
<context>
    <name>NonFinitePills</name>
    <message>
        <source>Go to the first one</source>
        <translation>转到第一个</translation>
    </message>
    <message>
        <source>Go to the first one; double-click to find its origin</source>
        <translation>转到第一个；双击可查找其来源</translation>
    </message>
    <message>
        <source>{count} beyond the scale</source>
        <translation>{count} 个超出色标范围</translation>
    </message>
</context>
<context>
    <name>NumberTable</name>
    <message>
        <source>Numbers of {name}</source>
        <translation>{name} 的数字</translation>
    </message>
</context>
<context>
    <name>Ops</name>
    <message>
        <source>created by {op}</source>
        <translation>由 {op} 创建</translation>
    </message>
    <message>
        <source>created by {op}, called in {place}</source>
        <translation>由 {op} 创建，调用于 {place}</translation>
    </message>
    <message>
        <source>saved: {values}</source>
        <translation>已保存：{values}</translation>
    </message>
</context>
<context>
    <name>OpsPanel</name>
    <message>
        <source>Ops in the step</source>
        <translation>步骤中的算子</translation>
    </message>
    <message>
        <source>Ops</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Tensors are {dtype} on {device} unless noted.</source>
        <translation>除非另有说明，张量均为 {device} 上的 {dtype}。</translation>
    </message>
    <message>
        <source>A dash means that the time was not measured.</source>
        <translation>短横线表示未测量时间。</translation>
    </message>
    <message>
        <source>Times were not measured.</source>
        <translation>未测量时间。</translation>
    </message>
    <message>
        <source>No ops were recorded in line {number}.</source>
        <translation>第 {number} 行没有录制算子。</translation>
    </message>
</context>
<context>
    <name>OrderSwitch</name>
    <message>
        <source>First order: does backward return the correct gradient?</source>
        <translation>一阶：backward 返回的梯度正确吗？</translation>
    </message>
    <message>
        <source>Second order: can backward be differentiated, and is the result correct?</source>
        <translation>二阶：backward 能求导吗，结果正确吗？</translation>
    </message>
    <message>
        <source>Order of the check</source>
        <translation>检查的阶数</translation>
    </message>
</context>
<context>
    <name>OriginPage</name>
    <message>
        <source>Record Ops and Run Again</source>
        <translation>录制算子并重新运行</translation>
    </message>
    <message>
        <source>This page shows where a NaN, an Inf or a zero came from.</source>
        <translation>此页显示 NaN、Inf 或零从何而来。</translation>
    </message>
    <message>
        <source>Finding the origin…</source>
        <translation>正在查找来源…</translation>
    </message>
    <message>
        <source>The origin cannot be found: {reason}</source>
        <translation>无法找到来源：{reason}</translation>
    </message>
    <message>
        <source>This run was recorded without ops, so the exact op is unknown.</source>
        <translation>本次运行没有录制算子，因此无法得知确切的算子。</translation>
    </message>
    <message>
        <source>Only the first {followed} of {count} such elements were traced back.</source>
        <translation>共有 {count} 个这样的元素，只追溯了前 {followed} 个。</translation>
    </message>
    <message>
        <source>No such value is known up to step {step}.</source>
        <translation>到第 {step} 步为止，没有已知的此类值。</translation>
    </message>
    <message>
        <source>No recorded value of this run is NaN or infinite.</source>
        <translation>本次运行录制的值中没有 NaN 或无穷大。</translation>
    </message>
    <message>
        <source>No recorded value of this run is NaN.</source>
        <translation>本次运行录制的值中没有 NaN。</translation>
    </message>
    <message>
        <source>No recorded value of this run is infinite.</source>
        <translation>本次运行录制的值中没有无穷大。</translation>
    </message>
    <message>
        <source>No recorded value of this run is zero.</source>
        <translation>本次运行录制的值中没有零。</translation>
    </message>
    <message>
        <source>No recorded value of this run is larger than {limit}.</source>
        <translation>本次运行录制的值都不大于 {limit}。</translation>
    </message>
    <message>
        <source>No element of {name} is NaN, infinite or very large.</source>
        <translation>{name} 没有 NaN、无穷大或非常大的元素。</translation>
    </message>
    <message>
        <source>No element of {name} is NaN.</source>
        <translation>{name} 没有 NaN 元素。</translation>
    </message>
    <message>
        <source>No element of {name} is infinite.</source>
        <translation>{name} 没有无穷大的元素。</translation>
    </message>
    <message>
        <source>No element of {name} is zero.</source>
        <translation>{name} 没有为零的元素。</translation>
    </message>
    <message>
        <source>No element of {name} is larger than {limit}.</source>
        <translation>{name} 没有大于 {limit} 的元素。</translation>
    </message>
    <message>
        <source>{element} is not NaN, infinite, zero or very large.</source>
        <translation>{element} 不是 NaN、无穷大或零，也不是非常大。</translation>
    </message>
    <message>
        <source>{element} is not NaN.</source>
        <translation>{element} 不是 NaN。</translation>
    </message>
    <message>
        <source>{element} is not infinite.</source>
        <translation>{element} 不是无穷大。</translation>
    </message>
    <message>
        <source>{element} is not zero.</source>
        <translation>{element} 不是零。</translation>
    </message>
    <message>
        <source>{element} is not larger than {limit}.</source>
        <translation>{element} 不大于 {limit}。</translation>
    </message>
    <message>
        <source>Hidden in quiz mode until the answer is revealed.</source>
        <translation>测验模式下隐藏，揭晓答案后显示。</translation>
    </message>
    <message>
        <source>Click First in Run to find the origin of the run&apos;s first NaN or Inf. For a certain tensor or element, use its context menu.</source>
        <translation>点击“首次出现”可查找本次运行中第一个 NaN 或 Inf 的来源。若要查找特定张量或元素，请使用其右键菜单。</translation>
    </message>
</context>
<context>
    <name>OriginPath</name>
    <message>
        <source>Path of the value</source>
        <translation>值的路径</translation>
    </message>
</context>
<context>
    <name>OriginView</name>
    <message>
        <source>Go There</source>
        <translation>转到该处</translation>
    </message>
    <message>
        <source>Origin</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>{number} of {count}: {where}</source>
        <translation>第 {number} 个，共 {count} 个：{where}</translation>
    </message>
</context>
<context>
    <name>OutlinePanel</name>
    <message>
        <source>Nodes of the graph</source>
        <translation>计算图的节点</translation>
    </message>
    <message>
        <source>Enter: go to the step of the node and show it in the graph</source>
        <translation>Enter：转到节点的步骤，并在计算图中显示该节点</translation>
    </message>
    <message>
        <source>Once there is a graph, its nodes are listed here.</source>
        <translation>有计算图后，其节点会在此列出。</translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>大纲</translation>
    </message>
</context>
<context>
    <name>PairList</name>
    <message>
        <source>Pairs of output and input</source>
        <translation>输出与输入对</translation>
    </message>
</context>
<context>
    <name>PairMaps</name>
    <message>
        <source>Preparing {count} elements…</source>
        <translation>正在准备 {count} 个元素…</translation>
    </message>
    <message>
        <source>Hidden until the gradient of this step is revealed.</source>
        <translation>揭晓此步骤的梯度后才会显示。</translation>
    </message>
    <message>
        <source>The trace does not contain the matrices of this pair.</source>
        <translation>跟踪记录不包含这一对的矩阵。</translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>Command palette</source>
        <translation>命令面板</translation>
    </message>
    <message>
        <source>Type a command…</source>
        <translation>输入命令…</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Part of a command&apos;s name; {0} runs it</source>
        <translation>命令名称的一部分；按 {0} 运行</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>No matching commands.</source>
        <translation>没有匹配的命令。</translation>
    </message>
</context>
<context>
    <name>PanelTitle</name>
    <message>
        <source>Pin {0}</source>
        <translation>固定“{0}”</translation>
    </message>
    <message>
        <source>Close {0}</source>
        <translation>关闭“{0}”</translation>
    </message>
    <message>
        <source>Close this panel (Esc)</source>
        <translation>关闭此面板（Esc）</translation>
    </message>
    <message>
        <source>Show over the graph only while used</source>
        <translation>仅在使用时显示在计算图上方</translation>
    </message>
    <message>
        <source>Keep open</source>
        <translation>保持打开</translation>
    </message>
</context>
<context>
    <name>Panels</name>
    <message>
        <source>&amp;Breakpoints</source>
        <translation>断点(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Console</source>
        <translation>控制台(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Doctor</source>
        <translation>Doctor(&amp;D)</translation>
    </message>
    <message>
        <source>G&amp;uide</source>
        <translation>指南(&amp;U)</translation>
    </message>
    <message>
        <source>I&amp;nputs</source>
        <translation>输入(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Inspector</source>
        <translation>检查器(&amp;I)</translation>
    </message>
    <message>
        <source>L&amp;essons</source>
        <translation>课程(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Library</source>
        <translation>示例库(&amp;L)</translation>
    </message>
    <message>
        <source>Loc&amp;als</source>
        <translation>局部变量(&amp;A)</translation>
    </message>
    <message>
        <source>O&amp;ps</source>
        <translation>算子(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Outline</source>
        <translation>大纲(&amp;O)</translation>
    </message>
    <message>
        <source>Ori&amp;gin</source>
        <translation>来源(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Source</source>
        <translation>源代码(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;What If</source>
        <translation>假设分析(&amp;W)</translation>
    </message>
</context>
<context>
    <name>ParameterTable</name>
    <message>
        <source>Changes of the parameters</source>
        <translation>参数变化</translation>
    </message>
    <message>
        <source>parameter</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>update ÷ weight</source>
        <translation>更新 ÷ 权重</translation>
    </message>
    <message>
        <source>differs from iteration {0}</source>
        <translation>与第 {0} 次之差</translation>
    </message>
    <message>
        <source>Iterations {0} and {1}: {2} differs most, by up to {3}.</source>
        <translation>第 {0} 与 {1} 次迭代：{2} 差异最大，达 {3}。</translation>
    </message>
    <message>
        <source>{0} of {1} (step {2})</source>
        <translation>{0}/{1}（步骤 {2}）</translation>
    </message>
    <message>
        <source>ReLU units that are 0 for the whole batch: {0}.</source>
        <translation>整批为 0 的 ReLU 单元：{0}。</translation>
    </message>
</context>
<context>
    <name>PartialMapView</name>
    <message>
        <source>Matrices being computed</source>
        <translation>正在计算的矩阵</translation>
    </message>
</context>
<context>
    <name>PassPages</name>
    <message>
        <source>Gradients by layer</source>
        <translation>按层的梯度</translation>
    </message>
    <message>
        <source>Saved memory by module</source>
        <translation>按模块的已保存内存</translation>
    </message>
</context>
<context>
    <name>PassageView</name>
    <message>
        <source>Code: {lines}</source>
        <translation>代码：{lines}</translation>
    </message>
</context>
<context>
    <name>PathList</name>
    <message>
        <source>step {step}</source>
        <translation>第 {step} 步</translation>
    </message>
    <message>
        <source>line {line} · step {step}</source>
        <translation>第 {line} 行 · 第 {step} 步</translation>
    </message>
</context>
<context>
    <name>PenLayer</name>
    <message>
        <source>Pen</source>
        <translation>画笔</translation>
    </message>
</context>
<context>
    <name>PlainBlock</name>
    <message>
        <source>Only the beginning of this text is shown:</source>
        <translation>只显示此文本的开头：</translation>
    </message>
</context>
<context>
    <name>PositionCrumbs</name>
    <message>
        <source>Position</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>stages</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>lines</source>
        <translation>行</translation>
    </message>
    <message>
        <source>ops</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Step into this step</source>
        <translation>单步进入此步骤</translation>
    </message>
    <message>
        <source>Step from pass to pass</source>
        <translation>逐轮传播步进</translation>
    </message>
    <message>
        <source>Go to {0} and step at this level</source>
        <translation>转到 {0}，并在此级别单步执行</translation>
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
        <translation>优化器</translation>
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
        <translation>演示模式：面向观众的大字，用翻页笔切换步骤</translation>
    </message>
    <message>
        <source>Present</source>
        <translation>演示</translation>
    </message>
</context>
<context>
    <name>Presenter</name>
    <message>
        <source>later answers are hidden</source>
        <translation>后面的答案已隐藏</translation>
    </message>
    <message>
        <source>hidden until the next click</source>
        <translation>下一次点击前隐藏</translation>
    </message>
</context>
<context>
    <name>PreviousRunMarker</name>
    <message>
        <source>Previous run; a new run is in progress</source>
        <translation>上一次运行；新的运行正在进行</translation>
    </message>
    <message>
        <source>Previous run; nothing has run since</source>
        <translation>上一次运行；此后没有运行过</translation>
    </message>
    <message>
        <source>Recorded beforehand; running it here failed</source>
        <translation>预先录制；在此处运行失败</translation>
    </message>
    <message>
        <source>Previous run; the new run failed</source>
        <translation>上一次运行；新的运行失败</translation>
    </message>
    <message>
        <source>Previous run; {0} has changed since</source>
        <translation>上一次运行；此后 {0} 已更改</translation>
    </message>
</context>
<context>
    <name>ProvenanceController</name>
    <message>
        <source>tensor {number}</source>
        <translation>张量 {number}</translation>
    </message>
</context>
<context>
    <name>ProvenancePanel</name>
    <message>
        <source>Origin</source>
        <translation>来源</translation>
    </message>
</context>
<context>
    <name>QuestionBar</name>
    <message>
        <source>Value to find</source>
        <translation>要查找的值</translation>
    </message>
    <message>
        <source>NaN or Inf</source>
        <translation>NaN 或 Inf</translation>
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
        <translation>零</translation>
    </message>
    <message>
        <source>Larger than</source>
        <translation>大于</translation>
    </message>
    <message>
        <source>Magnitude limit</source>
        <translation>幅值阈值</translation>
    </message>
    <message>
        <source>First in Run</source>
        <translation>首次出现</translation>
    </message>
    <message>
        <source>Find the first tensor of the run with such a value</source>
        <translation>查找本次运行中第一个含有此类值的张量</translation>
    </message>
    <message>
        <source>History</source>
        <translation>变化历史</translation>
    </message>
    <message>
        <source>in {element} at step {step}</source>
        <translation>在 {element} 中，第 {step} 步</translation>
    </message>
</context>
<context>
    <name>RankController</name>
    <message>
        <source>Ranks</source>
        <translation>Rank</translation>
    </message>
</context>
<context>
    <name>Ranks</name>
    <message>
        <source>rank {0}</source>
        <translation>rank {0}</translation>
    </message>
    <message>
        <source>{0} · is being opened…</source>
        <translation>{0} · 正在打开…</translation>
    </message>
    <message>
        <source>{0} · cannot be shown</source>
        <translation>{0} · 无法显示</translation>
    </message>
    <message>
        <source>{0} · {1} more steps</source>
        <translation>{0} · 另有 {1} 步</translation>
    </message>
    <message>
        <source>Gradients changed again at the end of this pass.</source>
        <translation>在本轮反向传播结束时，梯度再次发生了变化。</translation>
    </message>
    <message>
        <source>Click to show this rank here.</source>
        <translation>点击可在此显示该 rank。</translation>
    </message>
    <message>
        <source>{0} was not written by rank {1} of {2}.</source>
        <translation>{0} 不是由 rank {1}（共 {2} 个）写入的。</translation>
    </message>
</context>
<context>
    <name>Reasons</name>
    <message>
        <source>there is no run to show yet</source>
        <translation>还没有可显示的运行</translation>
    </message>
    <message>
        <source>no lesson is played</source>
        <translation>没有正在播放的课程</translation>
    </message>
    <message>
        <source>only in Presenter Mode</source>
        <translation>仅在演示模式中可用</translation>
    </message>
    <message>
        <source>there is no trace of such a rank in the same folder</source>
        <translation>同一文件夹中没有这个 rank 的跟踪记录</translation>
    </message>
    <message>
        <source>the inputs are incomplete</source>
        <translation>输入不完整</translation>
    </message>
    <message>
        <source>only for your own Python files</source>
        <translation>仅适用于您自己的 Python 文件</translation>
    </message>
    <message>
        <source>nothing is running</source>
        <translation>没有正在运行的内容</translation>
    </message>
    <message>
        <source>no change is enabled</source>
        <translation>没有启用任何更改</translation>
    </message>
    <message>
        <source>this is the original run</source>
        <translation>这是原始运行</translation>
    </message>
    <message>
        <source>there is no other run, or no differences</source>
        <translation>没有其他运行，或没有差异</translation>
    </message>
    <message>
        <source>nothing is compared, or no differences</source>
        <translation>没有进行比较，或没有差异</translation>
    </message>
    <message>
        <source>no inputs have been edited</source>
        <translation>没有编辑过输入</translation>
    </message>
    <message>
        <source>nothing to redo</source>
        <translation>没有可重做的操作</translation>
    </message>
    <message>
        <source>the inputs have their default values</source>
        <translation>输入均为默认值</translation>
    </message>
    <message>
        <source>only a saved trace or a scene with its own inputs has a link</source>
        <translation>只有已保存的跟踪记录或自带输入的示例才有链接</translation>
    </message>
    <message>
        <source>only for your own files, outside Presenter Mode</source>
        <translation>仅适用于您自己的文件，且不在演示模式中</translation>
    </message>
    <message>
        <source>the source file is not on this machine</source>
        <translation>源文件不在本机上</translation>
    </message>
    <message>
        <source>there are no steps to play</source>
        <translation>没有可播放的步骤</translation>
    </message>
    <message>
        <source>this is the outermost level</source>
        <translation>这是最外层</translation>
    </message>
    <message>
        <source>no node is selected, and the step has none</source>
        <translation>没有选择节点，此步骤也没有节点</translation>
    </message>
    <message>
        <source>there are no breakpoints</source>
        <translation>没有断点</translation>
    </message>
    <message>
        <source>no later step hits a breakpoint</source>
        <translation>之后没有步骤命中断点</translation>
    </message>
    <message>
        <source>no earlier step hits a breakpoint</source>
        <translation>之前没有步骤命中断点</translation>
    </message>
    <message>
        <source>no later step involves the node</source>
        <translation>之后没有步骤涉及该节点</translation>
    </message>
    <message>
        <source>the node is not a closed group</source>
        <translation>该节点不是已折叠的分组</translation>
    </message>
    <message>
        <source>the node is not in an opened group</source>
        <translation>该节点不在已展开的分组中</translation>
    </message>
    <message>
        <source>there are no opened groups</source>
        <translation>没有已展开的分组</translation>
    </message>
    <message>
        <source>there is no later step</source>
        <translation>没有更后的步骤</translation>
    </message>
    <message>
        <source>there is no earlier step</source>
        <translation>没有更前的步骤</translation>
    </message>
    <message>
        <source>nothing finer was recorded</source>
        <translation>没有录制更细的级别</translation>
    </message>
    <message>
        <source>the run has no such iteration</source>
        <translation>没有这次迭代</translation>
    </message>
    <message>
        <source>the run has no iterations</source>
        <translation>没有迭代</translation>
    </message>
    <message>
        <source>the step that created the node is unknown</source>
        <translation>创建该节点的步骤未知</translation>
    </message>
    <message>
        <source>no step executes the node</source>
        <translation>没有步骤执行该节点</translation>
    </message>
    <message>
        <source>no gradient reaches the node</source>
        <translation>没有梯度到达该节点</translation>
    </message>
    <message>
        <source>there is no run to show yet, or Quiz Mode hides the answer</source>
        <translation>还没有可显示的运行，或测验模式隐藏了答案</translation>
    </message>
    <message>
        <source>no tensor element is pinned</source>
        <translation>没有已固定的张量元素</translation>
    </message>
    <message>
        <source>no tensor of the node has NaN or Inf</source>
        <translation>该节点的张量中没有 NaN 或 Inf</translation>
    </message>
    <message>
        <source>no node is selected</source>
        <translation>没有选择节点</translation>
    </message>
    <message>
        <source>the search for breakpoint hits is still running</source>
        <translation>仍在搜索断点命中处</translation>
    </message>
    <message>
        <source>Quiz Mode hides it</source>
        <translation>测验模式将其隐藏</translation>
    </message>
</context>
<context>
    <name>RecentFilesController</name>
    <message>
        <source>{0} no longer exists. It was removed from the recent files.</source>
        <translation>{0} 已不存在，已从最近的文件中移除。</translation>
    </message>
</context>
<context>
    <name>RecentMenu</name>
    <message>
        <source>Open &amp;Recent</source>
        <translation>打开最近的文件(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Clear List</source>
        <translation>清除列表(&amp;C)</translation>
    </message>
</context>
<context>
    <name>RepairDialog</name>
    <message>
        <source>Changes</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>&amp;Apply to File</source>
        <translation>应用到文件(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>{0} would change as follows.</source>
        <translation>{0} 将作如下更改。</translation>
    </message>
    <message>
        <source>The file has changed since the run. Run it again first.</source>
        <translation>该文件在运行之后已更改。请先重新运行。</translation>
    </message>
    <message>
        <source>The file cannot be changed: {0}</source>
        <translation>无法更改文件：{0}</translation>
    </message>
    <message>
        <source>{0} was changed.</source>
        <translation>{0} 已更改。</translation>
    </message>
    <message>
        <source>{0} is as before.</source>
        <translation>{0} 已恢复原样。</translation>
    </message>
</context>
<context>
    <name>RowsView</name>
    <message>
        <source>&amp;Copy Row</source>
        <translation>复制行(&amp;C)</translation>
    </message>
    <message>
        <source>Copy &amp;Table</source>
        <translation>复制表格(&amp;T)</translation>
    </message>
</context>
<context>
    <name>RunController</name>
    <message>
        <source>{0} declares no inputs for {1}. Choose them under Inputs, then run it.</source>
        <translation>{0} 没有为 {1} 声明输入。请在“输入”中选择，然后运行。</translation>
    </message>
    <message>
        <source>{0} no longer defines {1}.</source>
        <translation>{0} 不再定义 {1}。</translation>
    </message>
    <message>
        <source>{1} cannot run as it is. Declare it in EXAMPLES of {0}.</source>
        <translation>{1} 目前无法直接运行。请在 {0} 的 EXAMPLES 中声明它。</translation>
    </message>
    <message>
        <source>{0} was only read, not run. Run executes the cells above this one and records this one. Library lists the other cells.</source>
        <translation>{0} 只被读取，没有运行。运行会先执行上面的单元格，并记录这个单元格。库中列出其他单元格。</translation>
    </message>
    <message>
        <source>Run starts it as a script; Inputs has a field for its arguments.</source>
        <translation>“运行”会将其作为脚本启动；“输入”中有填写其参数的字段。</translation>
    </message>
    <message>
        <source>Library lists what its text defines. Run starts it as a script; Inputs has a field for its arguments.</source>
        <translation>“示例库”列出其文本中的定义。“运行”会将其作为脚本启动；“输入”中有填写其参数的字段。</translation>
    </message>
    <message>
        <source>{0} To change the limit, open Settings.</source>
        <translation>{0}要更改此限制，请打开“设置”。</translation>
    </message>
    <message>
        <source>{0} The result of the previous check is shown.</source>
        <translation>{0}显示的是上一次检查的结果。</translation>
    </message>
    <message>
        <source>Stopped the run of {0} and discarded its trace.</source>
        <translation>已停止 {0} 的运行，并放弃其跟踪记录。</translation>
    </message>
    <message>
        <source>Stopped the check of {0}.</source>
        <translation>已停止对 {0} 的检查。</translation>
    </message>
    <message>
        <source>input() has nothing to read, as a run has no keyboard.</source>
        <translation>input() 无内容可读，因为运行时没有键盘输入。</translation>
    </message>
    <message>
        <source>{0} ended the run at step {1}.</source>
        <translation>{0} 在第 {1} 步结束了运行。</translation>
    </message>
    <message>
        <source>{0} ended the run at step {1}: {2}</source>
        <translation>{0} 在第 {1} 步结束了运行：{2}</translation>
    </message>
    <message>
        <source>What If: {0}</source>
        <translation>假设分析：{0}</translation>
    </message>
    <message>
        <source>Trace saved to {0}.</source>
        <translation>跟踪记录已保存到 {0}。</translation>
    </message>
</context>
<context>
    <name>SaveDialog</name>
    <message>
        <source>{0} exists. To replace it, type its name with the suffix.</source>
        <translation>{0} 已存在。要替换它，请输入带后缀的文件名。</translation>
    </message>
</context>
<context>
    <name>ScaleBar</name>
    <message>
        <source>all zero</source>
        <translation>全为零</translation>
    </message>
    <message>
        <source>Colors from {low} to {high}</source>
        <translation>颜色从 {low} 到 {high}</translation>
    </message>
    <message>
        <source>inside</source>
        <translation>容差内</translation>
    </message>
    <message>
        <source>outside</source>
        <translation>容差外</translation>
    </message>
    <message>
        <source>Colors by tolerance: up to 1 inside, up to {most} outside</source>
        <translation>按容差着色：1 以内为容差内，容差外最大到 {most}</translation>
    </message>
</context>
<context>
    <name>ScaleControl</name>
    <message>
        <source>same scale</source>
        <translation>统一色标</translation>
    </message>
    <message>
        <source>Use one color scale for all of these, up to the largest value (Space)</source>
        <translation>对所有这些使用同一色标，上限为最大值（空格键）</translation>
    </message>
    <message>
        <source>Same color scale for {names}</source>
        <translation>{names} 使用同一色标</translation>
    </message>
</context>
<context>
    <name>ScreenMenu</name>
    <message>
        <source>{name}, {width} × {height}</source>
        <translation>{name}，{width} × {height}</translation>
    </message>
</context>
<context>
    <name>SectionBox</name>
    <message>
        <source>collapsed</source>
        <translation>已折叠</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>已展开</translation>
    </message>
</context>
<context>
    <name>SectionView</name>
    <message>
        <source>folded</source>
        <translation>已折叠</translation>
    </message>
    <message>
        <source>unfolded</source>
        <translation>已展开</translation>
    </message>
    <message>
        <source>Unfold this section (Space)</source>
        <translation>展开此部分（空格键）</translation>
    </message>
    <message>
        <source>Fold this section (Space)</source>
        <translation>折叠此部分（空格键）</translation>
    </message>
</context>
<context>
    <name>Session</name>
    <message>
        <source>Only the original run can be checked. Go back to it first.</source>
        <translation>只能检查原始运行。请先返回原始运行。</translation>
    </message>
    <message>
        <source>Run a scene or a file first.</source>
        <translation>请先运行一个场景或文件。</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>语言(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>Text si&amp;ze</source>
        <translation>文字大小(&amp;Z)</translation>
    </message>
    <message>
        <source>Te&amp;nsor colors</source>
        <translation>张量颜色(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Animation</source>
        <translation>动画(&amp;A)</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Time &amp;limit</source>
        <translation>时间限制(&amp;L)</translation>
    </message>
    <message>
        <source>With {0} s, a program that runs as a whole has no time limit</source>
        <translation>设为 {0} 秒时，整体运行的程序没有时间限制</translation>
    </message>
    <message>
        <source>&amp;Memory limit</source>
        <translation>内存限制(&amp;M)</translation>
    </message>
    <message>
        <source>Tra&amp;ce size limit</source>
        <translation>跟踪记录大小限制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Printed text limit</source>
        <translation>打印文本限制(&amp;P)</translation>
    </message>
    <message>
        <source>Recor&amp;d</source>
        <translation>录制(&amp;D)</translation>
    </message>
    <message>
        <source>the first 20 and a sample</source>
        <translation>前 20 次和一部分</translation>
    </message>
    <message>
        <source>all, or for scripts a range such as 3, 3:5, 500: or last:20</source>
        <translation>all；脚本还可以用范围，如 3、3:5、500: 或 last:20</translation>
    </message>
    <message>
        <source>Passes of long r&amp;uns</source>
        <translation>长时间运行的反向传播(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Whole tensors</source>
        <translation>完整张量(&amp;W)</translation>
    </message>
    <message>
        <source>A trace stores whole tensors up to this total size, and only statistics beyond it. New limits apply from the next run.</source>
        <translation>张量总大小不超过此值时，跟踪记录存储完整张量，超出后只存储统计信息。新限制从下次运行起生效。</translation>
    </message>
    <message>
        <source>Run again when file is &amp;saved</source>
        <translation>文件保存后重新运行(&amp;S)</translation>
    </message>
    <message>
        <source>As&amp;k before closing a window with an unsaved run</source>
        <translation>关闭含有未保存运行的窗口前先询问(&amp;K)</translation>
    </message>
    <message>
        <source>Enter all, or a range such as 3, 3:5, 500: or last:20.</source>
        <translation>请输入 all 或一个范围，如 3、3:5、500: 或 last:20。</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>源代码</translation>
    </message>
    <message>
        <source>&amp;Editor</source>
        <translation>编辑器(&amp;E)</translation>
    </message>
    <message>
        <source>Program and arguments; {file} and {line} stand for the file and line.</source>
        <translation>程序和参数；{file} 和 {line} 分别代表文件和行。</translation>
    </message>
    <message>
        <source>&amp;Reset All</source>
        <translation>全部重置(&amp;R)</translation>
    </message>
    <message>
        <source>Restore all settings to their defaults</source>
        <translation>将所有设置恢复为默认值</translation>
    </message>
    <message>
        <source>{0:.1f} GiB of this machine&apos;s {1:.1f} GiB.</source>
        <translation>{0:.1f} GiB，本机共有 {1:.1f} GiB。</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Ocher to blue</source>
        <translation>赭色到蓝色</translation>
    </message>
    <message>
        <source>Red to blue</source>
        <translation>红色到蓝色</translation>
    </message>
    <message>
        <source>Animate steps</source>
        <translation>步骤动画</translation>
    </message>
    <message>
        <source>No animation</source>
        <translation>无动画</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Nodes and ops</source>
        <translation>节点和算子</translation>
    </message>
    <message>
        <source>Nodes and source lines</source>
        <translation>节点和源代码行</translation>
    </message>
    <message>
        <source>Nodes, ops and source lines</source>
        <translation>节点、算子和源代码行</translation>
    </message>
    <message>
        <source>Recording level</source>
        <translation>录制层级</translation>
    </message>
    <message>
        <source>for example {example}</source>
        <translation>例如 {example}</translation>
    </message>
    <message>
        <source> s</source>
        <translation> s</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source> MiB</source>
        <translation> MiB</translation>
    </message>
    <message>
        <source> characters</source>
        <translation> 个字符</translation>
    </message>
</context>
<context>
    <name>SignLegend</name>
    <message>
        <source>outside the tolerance</source>
        <translation>超出容差</translation>
    </message>
    <message>
        <source>worst, cursor</source>
        <translation>误差最大，光标</translation>
    </message>
</context>
<context>
    <name>Skeleton</name>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
</context>
<context>
    <name>Source</name>
    <message>
        <source>The source of each step appears here.</source>
        <translation>每一步的源代码显示在这里。</translation>
    </message>
    <message>
        <source>The source of {path} was not recorded. {about}</source>
        <translation>没有录制 {path} 的源代码。{about}</translation>
    </message>
    <message>
        <source>No lines were recorded for this step. {about}</source>
        <translation>没有为此步骤录制行。{about}</translation>
    </message>
    <message>
        <source>This step has no source.</source>
        <translation>此步骤没有源代码。</translation>
    </message>
    <message>
        <source>Values are hidden until the answer is revealed.</source>
        <translation>揭晓答案之前，数值保持隐藏。</translation>
    </message>
    <message>
        <source>Local variables are recorded only inside of custom Functions.</source>
        <translation>只在自定义 Function 内部录制局部变量。</translation>
    </message>
    <message>
        <source>This run was recorded without source lines, so local variables are unknown.</source>
        <translation>本次运行没有录制源代码行，因此无法得知局部变量。</translation>
    </message>
    <message>
        <source>None of your lines run in this stage.</source>
        <translation>您的代码行没有在这个阶段运行。</translation>
    </message>
    <message>
        <source>No lines were recorded in this stage.</source>
        <translation>这个阶段没有录制行。</translation>
    </message>
    <message>
        <source>It has not run yet.</source>
        <translation>尚未运行。</translation>
    </message>
    <message>
        <source>It ran in step {number}.</source>
        <translation>在第 {number} 步运行过。</translation>
    </message>
    <message>
        <source>Shown as it ran in step {number}.</source>
        <translation>按第 {number} 步运行时的情形显示。</translation>
    </message>
    <message>
        <source>Executed</source>
        <translation>已执行</translation>
    </message>
    <message>
        <source>Not executed yet</source>
        <translation>尚未执行</translation>
    </message>
    <message>
        <source>Not executed in this step</source>
        <translation>此步骤中未执行</translation>
    </message>
    <message>
        <source>Interrupted by an exception or by the end of the run</source>
        <translation>因异常或运行结束而中断</translation>
    </message>
    <message>
        <source>This line called {op}.</source>
        <translation>此行调用了 {op}。</translation>
    </message>
    <message>
        <source>{type} was called to handle {function}.</source>
        <translation>调用了 {type} 来处理 {function}。</translation>
    </message>
    <message>
        <source>{node} is part of torch. The line that created it was not recorded.</source>
        <translation>{node} 属于 torch。创建它的行没有录制。</translation>
    </message>
    <message>
        <source>{node} is part of torch. Line {line} created it.</source>
        <translation>{node} 属于 torch。它由第 {line} 行创建。</translation>
    </message>
    <message>
        <source>{node} is part of torch; this line started backward.</source>
        <translation>{node} 属于 torch；此行启动了 backward。</translation>
    </message>
    <message>
        <source>Torch accumulates .grad; this line started backward.</source>
        <translation>由 torch 累加到 .grad；此行启动了 backward。</translation>
    </message>
    <message>
        <source>Torch accumulates {name}.grad; this line started backward.</source>
        <translation>由 torch 累加到 {name}.grad；此行启动了 backward。</translation>
    </message>
    <message>
        <source>This line starts the backward pass.</source>
        <translation>此行启动反向传播。</translation>
    </message>
    <message>
        <source>The backward pass that this line started has ended.</source>
        <translation>由此行启动的反向传播已结束。</translation>
    </message>
    <message>
        <source>{exception} was raised here.</source>
        <translation>此处引发了 {exception}。</translation>
    </message>
    <message>
        <source>It fills ctx after forward has returned.</source>
        <translation>它在 forward 返回后填充 ctx。</translation>
    </message>
    <message>
        <source>It has returned; torch saves what backward needs.</source>
        <translation>它已返回；torch 保存 backward 所需的内容。</translation>
    </message>
    <message>
        <source>It has returned; the engine checks its gradients.</source>
        <translation>它已返回；引擎检查其梯度。</translation>
    </message>
    <message>
        <source>This line is running.</source>
        <translation>此行正在运行。</translation>
    </message>
    <message>
        <source>This line did not finish.</source>
        <translation>此行没有执行完毕。</translation>
    </message>
    <message>
        <source>This line has just run.</source>
        <translation>此行刚刚运行完。</translation>
    </message>
    <message>
        <source>{name}: {value}</source>
        <translation>{name}：{value}</translation>
    </message>
    <message>
        <source>{text} (NumPy: not tracked by autograd)</source>
        <translation>{text}（NumPy：未由 autograd 跟踪）</translation>
    </message>
    <message>
        <source>{text}; set by this line</source>
        <translation>{text}；由此行设置</translation>
    </message>
    <message>
        <source>NumPy: not tracked by autograd</source>
        <translation>NumPy：未由 autograd 跟踪</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>{text} (NumPy)</source>
        <translation>{text}（NumPy）</translation>
    </message>
    <message>
        <source>{name} = {value}</source>
        <translation>{name} = {value}</translation>
    </message>
    <message>
        <source>{name} deleted</source>
        <translation>{name} 已删除</translation>
    </message>
    <message>
        <source>returns {value}</source>
        <translation>返回 {value}</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>空</translation>
    </message>
    <message>
        <source>all {value}</source>
        <translation>全为 {value}</translation>
    </message>
    <message>
        <source>from {low} to {high}</source>
        <translation>从 {low} 到 {high}</translation>
    </message>
    <message>
        <source>{text}, with NaN or Inf</source>
        <translation>{text}，含有 NaN 或 Inf</translation>
    </message>
</context>
<context>
    <name>SourceEditor</name>
    <message>
        <source>Save and Run</source>
        <translation>保存并运行</translation>
    </message>
    <message>
        <source>Save the file, run it, and repeat the last check (Ctrl+S)</source>
        <translation>保存文件、运行，并重复上一次检查（Ctrl+S）</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Go back to the recorded source (Esc)</source>
        <translation>返回录制的源代码（Esc）</translation>
    </message>
</context>
<context>
    <name>SourcePanel</name>
    <message>
        <source>Source</source>
        <translation>源代码</translation>
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
        <translation>第 {line} 行：{code}</translation>
    </message>
    <message>
        <source>{text}; {note}</source>
        <translation>{text}；{note}</translation>
    </message>
</context>
<context>
    <name>SpeakerWindow</name>
    <message>
        <source>Speaker View</source>
        <translation>演讲者视图</translation>
    </message>
    <message>
        <source>Speaker notes</source>
        <translation>演讲者笔记</translation>
    </message>
    <message>
        <source>The audience sees</source>
        <translation>观众看到</translation>
    </message>
    <message>
        <source>After the next click</source>
        <translation>再点一次之后</translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation>当前时间</translation>
    </message>
    <message>
        <source>Elapsed and planned time</source>
        <translation>已用时间和计划时间</translation>
    </message>
    <message>
        <source>Show Notes Here (Enter)</source>
        <translation>在此显示笔记（Enter）</translation>
    </message>
    <message>
        <source>The notes are hidden until this window is on your own screen</source>
        <translation>在此窗口移到自己的屏幕上之前，笔记保持隐藏</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} / {1}</translation>
    </message>
    <message>
        <source>{0} / {1}</source>
        <translation>{0} / {1}</translation>
    </message>
    <message>
        <source>end of the lesson</source>
        <translation>课程结束</translation>
    </message>
    <message>
        <source>Next: {0}</source>
        <translation>下一个：{0}</translation>
    </message>
</context>
<context>
    <name>SpotlightLayer</name>
    <message>
        <source>Spotlight</source>
        <translation>聚光灯</translation>
    </message>
</context>
<context>
    <name>Stage</name>
    <message>
        <source>Please wait</source>
        <translation>请稍候</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source>recorded in {0}</source>
        <translation>录制用时 {0}</translation>
    </message>
    <message>
        <source>damaged: some records are missing</source>
        <translation>已损坏：缺少部分记录</translation>
    </message>
    <message>
        <source>recording incomplete</source>
        <translation>录制不完整</translation>
    </message>
</context>
<context>
    <name>StepLinks</name>
    <message>
        <source>Go to {place}</source>
        <translation>转到 {place}</translation>
    </message>
</context>
<context>
    <name>StopCover</name>
    <message>
        <source>Preparing…</source>
        <translation>正在准备…</translation>
    </message>
</context>
<context>
    <name>StopDialog</name>
    <message>
        <source>Edit Stop</source>
        <translation>编辑环节</translation>
    </message>
    <message>
        <source>One line, which takes the place of the question</source>
        <translation>一行文字，出现在问题的位置</translation>
    </message>
    <message>
        <source>Answer at length, for you and for the handout</source>
        <translation>详细的答案，供您自己和讲义使用</translation>
    </message>
    <message>
        <source>What each further click shows, with an empty line between two clicks</source>
        <translation>之后每次点击显示的内容，两次点击之间空一行</translation>
    </message>
    <message>
        <source>Show the steps up to the next stop</source>
        <translation>显示到下一个环节为止的步骤</translation>
    </message>
    <message>
        <source>&amp;Headline</source>
        <translation>标题(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Question</source>
        <translation>问题(&amp;Q)</translation>
    </message>
    <message>
        <source>Ans&amp;wer</source>
        <translation>答案(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Solution</source>
        <translation>解答(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Pictures</source>
        <translation>图片(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Notes</source>
        <translation>笔记(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Minutes</source>
        <translation>分钟(&amp;M)</translation>
    </message>
</context>
<context>
    <name>Suggestions</name>
    <message>
        <source>Check in float64</source>
        <translation>用 float64 检查</translation>
    </message>
    <message>
        <source>Cast the inputs first, so that rounding cannot cause differences</source>
        <translation>先转换输入的类型，使舍入不会造成差异</translation>
    </message>
    <message>
        <source>eps {eps}, atol {atol} and rtol {rtol}, suitable for {dtype}</source>
        <translation>eps {eps}、atol {atol} 和 rtol {rtol}，适用于 {dtype}</translation>
    </message>
    <message>
        <source>Check with Wider Tolerances</source>
        <translation>放宽容差后检查</translation>
    </message>
    <message>
        <source>Shift Inputs and Check Again</source>
        <translation>平移输入并重新检查</translation>
    </message>
    <message>
        <source>Add between {low} and {high} to the input elements</source>
        <translation>给输入元素加上 {low} 到 {high} 之间的值</translation>
    </message>
    <message>
        <source>Shift Inputs Further and Check Again</source>
        <translation>进一步平移输入并重新检查</translation>
    </message>
    <message>
        <source>Check with eps {eps}</source>
        <translation>用 eps {eps} 检查</translation>
    </message>
    <message>
        <source>This eps had the smallest error of those tried</source>
        <translation>在试过的 eps 中，它的误差最小</translation>
    </message>
</context>
<context>
    <name>TensorCopies</name>
    <message>
        <source>Copied {name}.</source>
        <translation>已复制 {name}。</translation>
    </message>
    <message>
        <source>Saved {name} to {path}.</source>
        <translation>已将 {name} 保存到 {path}。</translation>
    </message>
    <message>
        <source>Saved {name} to {path} as {dtype}, because NumPy has no {own}.</source>
        <translation>已将 {name} 以 {dtype} 保存到 {path}，因为 NumPy 没有 {own}。</translation>
    </message>
</context>
<context>
    <name>TensorMenu</name>
    <message>
        <source>Menu of {name}</source>
        <translation>{name} 的菜单</translation>
    </message>
    <message>
        <source>En&amp;large</source>
        <translation>放大(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;What If…</source>
        <translation>假设分析(&amp;W)…</translation>
    </message>
    <message>
        <source>Find Ori&amp;gin of Its NaN or Inf</source>
        <translation>查找其 NaN 或 Inf 的来源(&amp;G)</translation>
    </message>
    <message>
        <source>Find Ori&amp;gin of {element}</source>
        <translation>查找 {element} 的来源(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;History of This Tensor</source>
        <translation>此张量的变化历史(&amp;H)</translation>
    </message>
    <message>
        <source>Copy This Plane as &amp;CSV</source>
        <translation>将此平面复制为 CSV(&amp;C)</translation>
    </message>
    <message>
        <source>Copy as &amp;CSV</source>
        <translation>复制为 CSV(&amp;C)</translation>
    </message>
    <message>
        <source>Copy This Plane as La&amp;TeX</source>
        <translation>将此平面复制为 LaTeX(&amp;T)</translation>
    </message>
    <message>
        <source>Copy as La&amp;TeX</source>
        <translation>复制为 LaTeX(&amp;T)</translation>
    </message>
    <message>
        <source>Copy as &amp;torch.tensor(…)</source>
        <translation>复制为 torch.tensor(…)(&amp;T)</translation>
    </message>
    <message>
        <source>Copy &amp;Element {element}</source>
        <translation>复制元素 {element}(&amp;E)</translation>
    </message>
    <message>
        <source>Copy S&amp;ummary</source>
        <translation>复制摘要(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Save as .npy…</source>
        <translation>保存为 .npy(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Save as .npy (as {dtype})…</source>
        <translation>以 {dtype} 保存为 .npy(&amp;S)…</translation>
    </message>
    <message>
        <source>Save Tensor</source>
        <translation>保存张量</translation>
    </message>
    <message>
        <source>NumPy array (*.npy)</source>
        <translation>NumPy 数组 (*.npy)</translation>
    </message>
</context>
<context>
    <name>TensorPanel</name>
    <message>
        <source>{name} is hidden until revealed.</source>
        <translation>揭晓之前，{name} 保持隐藏。</translation>
    </message>
    <message>
        <source>Fixed: {name} as recorded in step {number}.</source>
        <translation>固定：第 {number} 步录制的 {name}。</translation>
    </message>
    <message>
        <source>Following the step: no {name} yet in step {number}.</source>
        <translation>跟随步骤：第 {number} 步还没有 {name}。</translation>
    </message>
    <message>
        <source>Following the step: {name} as of step {number}.</source>
        <translation>跟随步骤：截至第 {number} 步的 {name}。</translation>
    </message>
    <message>
        <source>This run does not contain the tensor.</source>
        <translation>本次运行不包含该张量。</translation>
    </message>
    <message>
        <source>Loading elements…</source>
        <translation>正在加载元素…</translation>
    </message>
    <message>
        <source>Created in step {number}; click to go there.</source>
        <translation>在第 {number} 步创建；点击可转到该步骤。</translation>
    </message>
    <message>
        <source>from step {number}</source>
        <translation>来自第 {number} 步</translation>
    </message>
    <message>
        <source>This tensor belongs to another run.</source>
        <translation>该张量属于另一次运行。</translation>
    </message>
</context>
<context>
    <name>TensorPanelHeader</name>
    <message>
        <source>follow the step</source>
        <translation>跟随步骤</translation>
    </message>
    <message>
        <source>keep this window</source>
        <translation>保留此窗口</translation>
    </message>
    <message>
        <source>Show the latest version of this gradient at every step, or stay at this one (Space)</source>
        <translation>在每一步显示此梯度的最新版本，或停留在这个版本（空格键）</translation>
    </message>
    <message>
        <source>Follow the step</source>
        <translation>跟随步骤</translation>
    </message>
    <message>
        <source>Open the next tensor in another window, to compare the two (Space)</source>
        <translation>在另一个窗口中打开下一个张量，以便比较两者（空格键）</translation>
    </message>
    <message>
        <source>Keep this window</source>
        <translation>保留此窗口</translation>
    </message>
    <message>
        <source>Copy as Python, CSV or LaTeX, save (menu key)</source>
        <translation>复制为 Python、CSV 或 LaTeX，保存（菜单键）</translation>
    </message>
    <message>
        <source>Copy and more</source>
        <translation>复制及更多</translation>
    </message>
</context>
<context>
    <name>TensorView</name>
    <message>
        <source>Empty: no elements.</source>
        <translation>空：没有元素。</translation>
    </message>
    <message>
        <source>Memory {mark}: tensors with the same letter share memory.</source>
        <translation>内存 {mark}：字母相同的张量共享内存。</translation>
    </message>
    <message>
        <source>Memory {mark} is shared by {names}.</source>
        <translation>内存 {mark} 由 {names} 共享。</translation>
    </message>
    <message>
        <source>Memory {mark} is shared by {names} and others.</source>
        <translation>内存 {mark} 由 {names} 等共享。</translation>
    </message>
    <message>
        <source>{name} (step {number})</source>
        <translation>{name}（第 {number} 步）</translation>
    </message>
    <message>
        <source>enlarge it to see all kept elements</source>
        <translation>放大可查看所有已保留的元素</translation>
    </message>
    <message>
        <source>version {number}</source>
        <translation>版本 {number}</translation>
    </message>
    <message>
        <source>no finite elements</source>
        <translation>没有有限的元素</translation>
    </message>
    <message>
        <source>all {value}</source>
        <translation>全为 {value}</translation>
    </message>
    <message>
        <source>{true} of {count} True</source>
        <translation>{count} 个中有 {true} 个为 True</translation>
    </message>
    <message>
        <source>{minimum} … {maximum} · mean {mean} · std {std} · norm {norm}</source>
        <translation>{minimum} … {maximum} · 均值 {mean} · 标准差 {std} · 范数 {norm}</translation>
    </message>
    <message>
        <source>magnitude: {line}</source>
        <translation>幅值：{line}</translation>
    </message>
    <message>
        <source>Statistics cover all {count} elements; {kept} of them are shown: {steps} ({why}).</source>
        <translation>统计信息涵盖全部 {count} 个元素；显示其中的 {kept}：{steps}（{why}）。</translation>
    </message>
    <message>
        <source>Showing {kept} of {count} elements: {steps} ({why}).</source>
        <translation>显示 {count} 个元素中的 {kept}：{steps}（{why}）。</translation>
    </message>
    <message>
        <source>too large to keep</source>
        <translation>过大，无法保留</translation>
    </message>
    <message>
        <source>Values not kept: {why}. Statistics cover all elements.</source>
        <translation>未保留数值：{why}。统计信息涵盖所有元素。</translation>
    </message>
    <message>
        <source>Values not kept: {why}.</source>
        <translation>未保留数值：{why}。</translation>
    </message>
    <message>
        <source>memory {mark}</source>
        <translation>内存 {mark}</translation>
    </message>
    <message>
        <source>{name}: {summary}</source>
        <translation>{name}：{summary}</translation>
    </message>
    <message>
        <source>{count} NaN</source>
        <translation>{count} 个 NaN</translation>
    </message>
    <message>
        <source>{count} +Inf</source>
        <translation>{count} 个 +Inf</translation>
    </message>
    <message>
        <source>{count} −Inf</source>
        <translation>{count} 个 −Inf</translation>
    </message>
    <message>
        <source>every {nth} row</source>
        <translation>每 {nth} 行取一行</translation>
    </message>
    <message>
        <source>every {nth} column</source>
        <translation>每 {nth} 列取一列</translation>
    </message>
    <message>
        <source>every {nth} element</source>
        <translation>每 {nth} 个元素取一个</translation>
    </message>
    <message>
        <source>every {nth} index of dimension {axis}</source>
        <translation>维度 {axis} 每 {nth} 个索引取一个</translation>
    </message>
    <message>
        <source>a part</source>
        <translation>一部分</translation>
    </message>
    <message>
        <source>{number}st</source>
        <translation>{number}</translation>
    </message>
    <message>
        <source>{number}nd</source>
        <translation>{number}</translation>
    </message>
    <message>
        <source>{number}rd</source>
        <translation>{number}</translation>
    </message>
    <message>
        <source>{number}th</source>
        <translation>{number}</translation>
    </message>
</context>
<context>
    <name>TensorWindows</name>
    <message>
        <source>Tensor {name}</source>
        <translation>张量 {name}</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>The run ended with {name}</source>
        <translation>运行以 {name} 结束</translation>
    </message>
    <message>
        <source>A breakpoint is hit here</source>
        <translation>在此命中断点</translation>
    </message>
    <message>
        <source>differs from the original run</source>
        <translation>与原始运行不同</translation>
    </message>
    <message>
        <source>{name} has {nans} NaN</source>
        <translation>{name} 有 {nans} 个 NaN</translation>
    </message>
    <message>
        <source>{name} has NaN</source>
        <translation>{name} 有 NaN</translation>
    </message>
    <message>
        <source>{name} has {infinities} Inf</source>
        <translation>{name} 有 {infinities} 个 Inf</translation>
    </message>
    <message>
        <source>{name} has Inf</source>
        <translation>{name} 有 Inf</translation>
    </message>
    <message>
        <source>{name} has {nans} NaN and {infinities} Inf</source>
        <translation>{name} 有 {nans} 个 NaN 和 {infinities} 个 Inf</translation>
    </message>
    <message>
        <source>{name} has NaN and Inf</source>
        <translation>{name} 有 NaN 和 Inf</translation>
    </message>
    <message>
        <source>no steps</source>
        <translation>没有步骤</translation>
    </message>
    <message>
        <source>forward · step {0} of {1}</source>
        <translation>forward · 第 {0} 步，共 {1} 步</translation>
    </message>
    <message>
        <source>backward · step {0} of {1}</source>
        <translation>backward · 第 {0} 步，共 {1} 步</translation>
    </message>
    <message>
        <source>optimizer · step {0} of {1}</source>
        <translation>优化器 · 第 {0} 步，共 {1} 步</translation>
    </message>
    <message>
        <source>step {0} of {1}</source>
        <translation>第 {0} 步，共 {1} 步</translation>
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
        <translation>优化器</translation>
    </message>
    <message>
        <source>phase {0} of {1} · {2} · steps {3}–{4}</source>
        <translation>第 {0} 段，共 {1} 段 · {2} · 第 {3}–{4} 步</translation>
    </message>
    <message>
        <source>next: the answer</source>
        <translation>接下来：答案</translation>
    </message>
    <message>
        <source>end of run</source>
        <translation>运行结束</translation>
    </message>
    <message>
        <source>next: {0}</source>
        <translation>接下来：{0}</translation>
    </message>
    <message>
        <source>step {0}: {1}</source>
        <translation>第 {0} 步：{1}</translation>
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
        <translation>backward {0}：{1}</translation>
    </message>
</context>
<context>
    <name>TimelineBar</name>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
</context>
<context>
    <name>TimelineControls</name>
    <message>
        <source>First step</source>
        <translation>第一步</translation>
    </message>
    <message>
        <source>One step back</source>
        <translation>后退一步</translation>
    </message>
    <message>
        <source>Play or pause</source>
        <translation>播放或暂停</translation>
    </message>
    <message>
        <source>One step forward</source>
        <translation>前进一步</translation>
    </message>
    <message>
        <source>Last step</source>
        <translation>最后一步</translation>
    </message>
</context>
<context>
    <name>TimelinePanel</name>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Top Bar</source>
        <translation>顶栏</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Device</translation>
    </message>
    <message>
        <source>Device on which inputs are created</source>
        <translation>创建输入时所用的 device</translation>
    </message>
    <message>
        <source>Run again with these inputs</source>
        <translation>用这些输入重新运行</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop what is running</source>
        <translation>停止正在运行的任务</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>菜单</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>计算图</translation>
    </message>
    <message>
        <source>Jacobians</source>
        <translation>雅可比</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>no float64: inputs are created as float32</source>
        <translation>无 float64：输入以 float32 创建</translation>
    </message>
    <message>
        <source>inputs changed: {0} runs them</source>
        <translation>输入已更改：{0} 可运行它们</translation>
    </message>
</context>
<context>
    <name>TraceFollower</name>
    <message numerus="yes">
        <source>The recording is complete: %Ln step(s).</source>
        <translation>
            <numerusform>录制已完成：%Ln 个步骤。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Recording is in progress: %Ln step(s)</source>
        <translation>
            <numerusform>正在录制：%Ln 个步骤</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Training</name>
    <message>
        <source>NaN, Inf or not recorded</source>
        <translation>NaN、Inf 或未录制</translation>
    </message>
    <message>
        <source>gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>gradient norm of {0}</source>
        <translation>{0} 的梯度范数</translation>
    </message>
    <message>
        <source>norm of {0}</source>
        <translation>{0} 的范数</translation>
    </message>
    <message>
        <source>saved for backward</source>
        <translation>为反向传播保存</translation>
    </message>
    <message>
        <source>time, with recording</source>
        <translation>时间（含录制）</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>NaN or Inf</source>
        <translation>NaN 或 Inf</translation>
    </message>
    <message>
        <source>no update</source>
        <translation>无更新</translation>
    </message>
</context>
<context>
    <name>TrainingPanel</name>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Show the numbers, one row each</source>
        <translation>逐行显示数值</translation>
    </message>
    <message>
        <source>All Iterations</source>
        <translation>所有迭代</translation>
    </message>
    <message>
        <source>Show the graph of the whole run</source>
        <translation>显示整个运行的图</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Show what this iteration changed in each parameter</source>
        <translation>显示本次迭代对各参数的改变</translation>
    </message>
    <message>
        <source>Compare other iterations with this one</source>
        <translation>将其他迭代与此比较</translation>
    </message>
    <message>
        <source>Compare all values of both iterations</source>
        <translation>比较两次迭代的所有值</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>各层</translation>
    </message>
    <message>
        <source>Show the gradients of this pass by layer</source>
        <translation>按层显示这一轮的梯度</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Show what is saved for this pass</source>
        <translation>显示为这一轮保存的内容</translation>
    </message>
    <message>
        <source>Run the program again and record these iterations, to see what led to this one. If it sets no seed, it may take another course.</source>
        <translation>再次运行程序并录制这些迭代，以查看导致此次迭代的原因。如果程序没有设置随机种子，运行过程可能不同。</translation>
    </message>
    <message>
        <source>Reading losses and gradients…</source>
        <translation>正在读取损失和梯度…</translation>
    </message>
    <message>
        <source>This run has fewer than two iterations.</source>
        <translation>迭代少于两次。</translation>
    </message>
    <message>
        <source>No curves: fewer than two iterations</source>
        <translation>没有曲线：迭代少于两次</translation>
    </message>
    <message>
        <source>Runs with several iterations are plotted here.</source>
        <translation>此处绘制有多次迭代的运行。</translation>
    </message>
    <message>
        <source>Record {0} to {1}</source>
        <translation>录制 {0} 到 {1}</translation>
    </message>
    <message>
        <source>Compare Others With Iteration {0}</source>
        <translation>将其他迭代与第 {0} 次比较</translation>
    </message>
    <message>
        <source>Compare With Iteration {0}</source>
        <translation>与第 {0} 次迭代比较</translation>
    </message>
    <message>
        <source>no forward</source>
        <translation>没有前向</translation>
    </message>
    <message>
        <source>Iteration {0} of {1}</source>
        <translation>第 {0} 次迭代，共 {1} 次</translation>
    </message>
    <message numerus="yes">
        <source>%Ln pass(es)</source>
        <translation>
            <numerusform>%Ln 次反向传播</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln update(s)</source>
        <translation>
            <numerusform>%Ln 次更新</numerusform>
        </translation>
    </message>
    <message>
        <source>no update</source>
        <translation>无更新</translation>
    </message>
    <message>
        <source>Iteration {0} of {1}: {2}</source>
        <translation>第 {0}/{1} 次迭代：{2}</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
</context>
<context>
    <name>TrainingTable</name>
    <message>
        <source>Loss and gradient norms by iteration</source>
        <translation>各次迭代的损失和梯度范数</translation>
    </message>
    <message>
        <source>NaN, Inf or not recorded</source>
        <translation>NaN、Inf 或未录制</translation>
    </message>
    <message>
        <source>{0} more: use gradviz steps --format json</source>
        <translation>另有 {0} 个：使用 gradviz steps --format json</translation>
    </message>
    <message>
        <source>iteration</source>
        <translation>迭代</translation>
    </message>
</context>
<context>
    <name>TrialsList</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy all rows with tab-separated columns</source>
        <translation>复制所有行，各列以制表符分隔</translation>
    </message>
</context>
<context>
    <name>UndeclaredNotice</name>
    <message>
        <source>Make Inputs</source>
        <translation>生成输入</translation>
    </message>
    <message>
        <source>Try shapes and kinds of values until backward runs</source>
        <translation>尝试各种形状和不同种类的值，直到 backward 能够运行</translation>
    </message>
    <message>
        <source>Add to File…</source>
        <translation>添加到文件…</translation>
    </message>
    <message>
        <source>Show the lines that declare these inputs in the file</source>
        <translation>显示在文件中声明这些输入的代码行</translation>
    </message>
    <message>
        <source>{0} declares no inputs for {1}.</source>
        <translation>{0} 没有为 {1} 声明输入。</translation>
    </message>
</context>
<context>
    <name>UndoController</name>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Undo: {0}</source>
        <translation>撤销(&amp;U)：{0}</translation>
    </message>
    <message>
        <source>&amp;Redo: {0}</source>
        <translation>重做(&amp;R)：{0}</translation>
    </message>
</context>
<context>
    <name>UnusualLine</name>
    <message>
        <source>{0} recorded</source>
        <translation>已录制的 {0}</translation>
    </message>
    <message>
        <source>No unusual value compared with the {0} iterations before</source>
        <translation>与之前 {0} 次迭代相比，没有异常的值</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} / {1}</translation>
    </message>
    <message>
        <source>{0} in the update before</source>
        <translation>上一次更新中的 {0}</translation>
    </message>
    <message>
        <source>First unusual value: {0}, {1} times as large as in the {2} iterations before</source>
        <translation>第一个异常的值：{0}，为之前 {2} 次迭代的 {1} 倍</translation>
    </message>
    <message>
        <source>First unusual value: {0}, all {1}, unlike in the {2} iterations before</source>
        <translation>第一个异常的值：{0}，全部为 {1}，与之前 {2} 次迭代不同</translation>
    </message>
    <message>
        <source>First unusual value: {0} has NaN or Inf, unlike in the {1} iterations before</source>
        <translation>第一个异常的值：{0} 含有 NaN 或 Inf，与之前 {1} 次迭代不同</translation>
    </message>
    <message>
        <source>Click to go to it</source>
        <translation>单击可转到该处</translation>
    </message>
    <message>
        <source>{0}, at most {1} before (root mean square of the elements)</source>
        <translation>{0}，之前最大 {1}（元素的均方根）</translation>
    </message>
    <message>
        <source>{0}, at most {1} before</source>
        <translation>{0}，之前最大 {1}</translation>
    </message>
</context>
<context>
    <name>ValueEditor</name>
    <message>
        <source>New values</source>
        <translation>新值</translation>
    </message>
    <message>
        <source>Add Change</source>
        <translation>添加更改</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Kind of change</source>
        <translation>更改方式</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>{0} ({1}, {2})</source>
        <translation>{0}（{1}，{2}）</translation>
    </message>
    <message>
        <source>Individual elements</source>
        <translation>单个元素</translation>
    </message>
    <message>
        <source>Set all elements to</source>
        <translation>将所有元素设为</translation>
    </message>
    <message>
        <source>Multiply by</source>
        <translation>乘以</translation>
    </message>
    <message>
        <source>Enter a number.</source>
        <translation>请输入一个数。</translation>
    </message>
    <message>
        <source>Enter new values.</source>
        <translation>请输入新值。</translation>
    </message>
    <message>
        <source>The shape must stay {0}.</source>
        <translation>形状必须保持为 {0}。</translation>
    </message>
</context>
<context>
    <name>ValuePairTable</name>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>左</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>右</translation>
    </message>
    <message>
        <source>Right − left</source>
        <translation>右 − 左</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>比较</translation>
    </message>
</context>
<context>
    <name>ValuePairView</name>
    <message>
        <source>Selected value in both runs</source>
        <translation>两次运行中所选的值</translation>
    </message>
    <message>
        <source>{0}, left</source>
        <translation>{0}，左</translation>
    </message>
    <message>
        <source>{0}, right</source>
        <translation>{0}，右</translation>
    </message>
    <message>
        <source>right − left</source>
        <translation>右 − 左</translation>
    </message>
</context>
<context>
    <name>ValueSparkline</name>
    <message>
        <source>Show this value over all iterations in the Training tab</source>
        <translation>在“训练”标签页中显示该值随迭代的变化</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>{0} = {1}</source>
        <translation>{0} = {1}</translation>
    </message>
    <message>
        <source>norm of {0} = {1}</source>
        <translation>{0} 的范数 = {1}</translation>
    </message>
    <message>
        <source>over {0} iterations</source>
        <translation>共 {0} 次迭代</translation>
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
        <translation>对数计数</translation>
    </message>
    <message>
        <source>both parts</source>
        <translation>实部和虚部</translation>
    </message>
    <message>
        <source>real part</source>
        <translation>实部</translation>
    </message>
    <message>
        <source>imaginary part</source>
        <translation>虚部</translation>
    </message>
    <message>
        <source>magnitude</source>
        <translation>幅值</translation>
    </message>
    <message>
        <source>angle</source>
        <translation>辐角</translation>
    </message>
    <message>
        <source>Part of the complex values</source>
        <translation>复数值的部分</translation>
    </message>
    <message>
        <source>Part of the complex values to show (Up, Down); both parts are colored by magnitude</source>
        <translation>要显示的复数部分（上下方向键）；同时显示实部和虚部时，按幅值着色</translation>
    </message>
    <message>
        <source>colors for all values</source>
        <translation>颜色覆盖所有值</translation>
    </message>
    <message>
        <source>colors for 99% of the values</source>
        <translation>颜色覆盖 99% 的值</translation>
    </message>
    <message>
        <source>Range of the color scale</source>
        <translation>色标范围</translation>
    </message>
    <message>
        <source>Whether the color scale covers the largest values (Up, Down)</source>
        <translation>色标是否覆盖最大的值（上下方向键）</translation>
    </message>
    <message>
        <source>Draw the counts on a logarithmic scale (Space)</source>
        <translation>用对数刻度绘制计数（空格键）</translation>
    </message>
    <message>
        <source>Logarithmic counts</source>
        <translation>对数计数</translation>
    </message>
</context>
<context>
    <name>Walkthrough</name>
    <message>
        <source>This line computes {gradient}</source>
        <translation>这一行计算 {gradient}</translation>
    </message>
    <message>
        <source>{check} · {pair}</source>
        <translation>{check} · {pair}</translation>
    </message>
    <message>
        <source>Diagnosis: {title}</source>
        <translation>诊断：{title}</translation>
    </message>
    <message>
        <source>Diagnosis: {title} ({confidence})</source>
        <translation>诊断：{title}（{confidence}）</translation>
    </message>
    <message>
        <source>Repair: {message} Then {wrong} of {count} elements are wrong.</source>
        <translation>修复：{message}修复后，{count} 个元素中有 {wrong} 个错误。</translation>
    </message>
    <message>
        <source>What finite differences measure: change one element of {input} by {eps}, and see how {output}, which backward returns, changes.</source>
        <translation>有限差分测量什么：将 {input} 的一个元素改变 {eps}，看 backward 返回的 {output} 如何变化。</translation>
    </message>
    <message>
        <source>What finite differences measure: change one element of {input} by {eps}, and see how {output} changes.</source>
        <translation>有限差分测量什么：将 {input} 的一个元素改变 {eps}，看 {output} 如何变化。</translation>
    </message>
    <message>
        <source>What differentiating backward gives: the gradient of {input}, for one element of {output} at a time.</source>
        <translation>对 backward 求导得到什么：{input} 的梯度，每次对应 {output} 的一个元素。</translation>
    </message>
    <message>
        <source>What backward returns: the gradient of {input}, for one element of {output} at a time.</source>
        <translation>backward 返回什么：{input} 的梯度，每次对应 {output} 的一个元素。</translation>
    </message>
    <message>
        <source>Where they differ: {wrong} of {count} elements.</source>
        <translation>差异所在：{count} 个元素中的 {wrong} 个。</translation>
    </message>
    <message>
        <source>They differ in their only element.</source>
        <translation>两者在唯一的元素上不同。</translation>
    </message>
    <message>
        <source>The difference is zero within the tolerance, in all {count} elements.</source>
        <translation>差值在容差内为零，全部 {count} 个元素都如此。</translation>
    </message>
    <message>
        <source>The difference is zero within the tolerance.</source>
        <translation>差值在容差内为零。</translation>
    </message>
    <message>
        <source>The worst element: {output} with respect to {input}. Backward returns {analytical} instead of {numerical}.</source>
        <translation>误差最大的元素：{output} 对 {input} 的导数。backward 返回 {analytical}，而不是 {numerical}。</translation>
    </message>
    <message>
        <source>The worst element: {output} with respect to {input}. Double backward returns {analytical} instead of {numerical}.</source>
        <translation>误差最大的元素：{output} 对 {input} 的导数。二次反向返回 {analytical}，而不是 {numerical}。</translation>
    </message>
    <message>
        <source>Is eps to blame? No: each eps tried gives nearly the same error.</source>
        <translation>是 eps 的问题吗？不是：试过的每个 eps 误差几乎相同。</translation>
    </message>
    <message>
        <source>Is eps to blame? No eps tried brings the error within the tolerance.</source>
        <translation>是 eps 的问题吗？试过的 eps 都不能使误差进入容差。</translation>
    </message>
    <message>
        <source>Is eps to blame? With eps {eps}, this element is within the tolerance.</source>
        <translation>是 eps 的问题吗？eps 为 {eps} 时，此元素在容差之内。</translation>
    </message>
    <message>
        <source>Also wrong: {pair}, {wrong} of {count} elements.</source>
        <translation>同样有误：{pair}，{count} 个元素中的 {wrong} 个。</translation>
    </message>
    <message>
        <source>Also wrong, although all elements agree: {pair}.</source>
        <translation>同样有误，尽管所有元素都一致：{pair}。</translation>
    </message>
    <message>
        <source>{sentence} Diagnosis: {title}</source>
        <translation>{sentence}诊断：{title}</translation>
    </message>
    <message>
        <source>An element is wrong if |analytical − numerical| &gt; {atol} + {rtol} · |numerical|.</source>
        <translation>如果 |解析 − 数值| &gt; {atol} + {rtol} · |数值|，则该元素错误。</translation>
    </message>
    <message>
        <source>The pair {names} agrees.</source>
        <translation>{names} 这一对一致。</translation>
    </message>
    <message>
        <source>These pairs agree: {names}.</source>
        <translation>以下各对一致：{names}。</translation>
    </message>
    <message>
        <source>All {count} pairs agree: {names}.</source>
        <translation>全部 {count} 对都一致：{names}。</translation>
    </message>
    <message>
        <source>Step {0}</source>
        <translation>第 {0} 步</translation>
    </message>
    <message>
        <source>These steps differ, too.</source>
        <translation>这些步骤也不同。</translation>
    </message>
    <message>
        <source>Equal runs</source>
        <translation>两次运行相同</translation>
    </message>
    <message>
        <source>Two runs in step</source>
        <translation>两次运行同步前进</translation>
    </message>
    <message>
        <source>First difference</source>
        <translation>第一处差异</translation>
    </message>
    <message>
        <source>Consequence</source>
        <translation>后续影响</translation>
    </message>
    <message>
        <source>Largest rounding difference</source>
        <translation>最大的舍入差异</translation>
    </message>
</context>
<context>
    <name>WhatIfController</name>
    <message>
        <source>Only a number of an input or a parameter can be turned, and only in a run that gradviz can repeat.</source>
        <translation>只能改变输入或参数的数字，而且运行必须能由 gradviz 重复。</translation>
    </message>
</context>
<context>
    <name>WhatIfPanel</name>
    <message>
        <source>What if a value were different? Choose Change, or What If in a tensor&apos;s menu. You can change inputs, parameters, saved tensors and gradients. The code then runs again with only these changes, and each step is compared with the original run.</source>
        <translation>如果某个值不同，会怎样？选择“更改”，或张量菜单中的“假设分析…”。可以更改输入、参数、保存的张量和梯度。随后代码只带着这些更改重新运行，每一步都会与原始运行比较。</translation>
    </message>
    <message>
        <source>No changes yet.</source>
        <translation>还没有更改。</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Change a value of the current step</source>
        <translation>更改当前步骤的一个值</translation>
    </message>
    <message>
        <source>What If</source>
        <translation>假设分析</translation>
    </message>
</context>
<context>
    <name>WindowContent</name>
    <message>
        <source>Run executes the whole file, as python does.</source>
        <translation>运行会像 python 一样执行整个文件。</translation>
    </message>
    <message>
        <source>Run executes the whole file: loop in line {0}, backward in line {1}</source>
        <translation>运行会执行整个文件：循环在第 {0} 行，backward 在第 {1} 行</translation>
    </message>
    <message>
        <source>, update in line {2}.</source>
        <translation>，更新在第 {2} 行。</translation>
    </message>
</context>
<context>
    <name>WindowStatusBar</name>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>{0} runs again when saved</source>
        <translation>{0} 保存后会重新运行</translation>
    </message>
    <message>
        <source>{0} ({1} s)</source>
        <translation>{0}（{1} s）</translation>
    </message>
    <message>
        <source>{0}…</source>
        <translation>{0}…</translation>
    </message>
    <message>
        <source>Importing PyTorch…</source>
        <translation>正在导入 PyTorch…</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>PyTorch is not available</source>
        <translation>PyTorch 不可用</translation>
    </message>
    <message>
        <source>recorded beforehand</source>
        <translation>预先录制</translation>
    </message>
</context>
<context>
    <name>WindowTitle</name>
    <message>
        <source>What If: {0}</source>
        <translation>假设分析：{0}</translation>
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
        <translation>正在运行代码：第 {0} 次反向传播</translation>
    </message>
    <message>
        <source>Laying out the graph</source>
        <translation>正在布局计算图</translation>
    </message>
    <message>
        <source>Recorded beforehand with torch {0} on {1}; importing PyTorch</source>
        <translation>使用 torch {0} 在 {1} 上预先录制；正在导入 PyTorch</translation>
    </message>
    <message>
        <source>Importing PyTorch before running the code</source>
        <translation>正在导入 PyTorch，之后运行代码</translation>
    </message>
    <message>
        <source>Opening the trace</source>
        <translation>正在打开跟踪记录</translation>
    </message>
    <message>
        <source>Reading the file</source>
        <translation>正在读取文件</translation>
    </message>
    <message>
        <source>Running the code</source>
        <translation>正在运行代码</translation>
    </message>
    <message>
        <source>Computing Jacobians</source>
        <translation>正在计算雅可比矩阵</translation>
    </message>
</context>
<context>
    <name>WorstList</name>
    <message>
        <source>Elements with the largest errors relative to the tolerance</source>
        <translation>相对于容差误差最大的元素</translation>
    </message>
    <message>
        <source>Press Ctrl+C to copy the list with all digits</source>
        <translation>按 Ctrl+C 复制列表，数字保留全部位数</translation>
    </message>
</context>
<context>
    <name>_PairRow</name>
    <message>
        <source>numerical: {known} of {count} rows</source>
        <translation>数值：{known} / {count} 行</translation>
    </message>
    <message>
        <source>analytical: {known} of {count} columns</source>
        <translation>解析：{known} / {count} 列</translation>
    </message>
</context>
<context>
    <name>plural</name>
    <message numerus="yes">
        <source>And %Ln more step(s)</source>
        <translation>
            <numerusform>另有 %Ln 个步骤</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{0}… (%Ln more character(s) in this line)</source>
        <translation>
            <numerusform>{0}…（此行还有 %Ln 个字符）</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{0} and %Ln more are not Python files (.py), notebooks (.ipynb), traces (.gradviz) or lessons (.gradviz-lesson).</source>
        <translation>
            <numerusform>{0} 和另外 %Ln 个文件不是 Python 文件（.py）、Notebook（.ipynb）、跟踪文件（.gradviz）或课程（.gradviz-lesson）。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln element(s) are not valid. The first, {0}: {1}</source>
        <translation>
            <numerusform>%Ln 个元素无效。第一个 {0}：{1}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln element(s) are rounded to {0}. {1}</source>
        <translation>
            <numerusform>%Ln 个元素舍入到 {0}。{1}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{text} %Ln pair(s) are finished.</source>
        <translation>
            <numerusform>{text}已完成 %Ln 对。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln evaluation(s) in {time}</source>
        <translation>
            <numerusform>%Ln 次求值，用时 {time}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Executed %Ln time(s)</source>
        <translation>
            <numerusform>已执行 %Ln 次</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{value}: {count} element(s)</source>
        <translation>
            <numerusform>{value}：{count} 个元素</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>from {low} to {high}: {count} element(s)</source>
        <translation>
            <numerusform>从 {low} 到 {high}：{count} 个元素</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{line} · {count} zero(s)</source>
        <translation>
            <numerusform>{line} · {count} 个零</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} element(s)</source>
        <translation>
            <numerusform>{count} 个元素</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>prints %Ln line(s)</source>
        <translation>
            <numerusform>打印 %Ln 行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln step(s)</source>
        <translation>
            <numerusform>%Ln 个步骤</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln tensor(s)</source>
        <translation>
            <numerusform>%Ln 个张量</numerusform>
        </translation>
    </message>
</context>
</TS>
